import java.util.*;
import java.io.*;

public class Main {
    static int total = 0;

    private static class Window implements Comparable<Window> {
        final int start;
        int end;

        Window(int start, int end) {
            this.start = start;
            this.end = end;
        }

        @Override
        public int compareTo(Window other) {
            return Integer.compare(this.start, other.start);
        }
    }

    /** Windows in order of their start; touching ones are joined. */
    static List<Window> join(List<Window> windows) {
        Collections.sort(windows);
        List<Window> joined = new ArrayList<>();
        for (Window window : windows) {
            Window last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (last != null && window.start <= last.end) {
                last.end = Math.max(last.end, window.end);
            } else {
                joined.add(new Window(window.start, window.end));
            }
        }
        return joined;
    }

    public static void main(String[] args) throws IOException {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt();
        List<Window> windows = new ArrayList<>();
        while (n-- > 0) {
            int start = in.nextInt(), end = in.nextInt();
            windows.add(new Window(start, end));
        }
        int longest = 0;
        Window before = null;
        for (Window window : join(windows)) {
            System.out.println(window.start + " " + window.end);
            total += window.end - window.start;
            if (before != null) longest = Math.max(longest, window.start - before.end);
            before = window;
        }
        System.out.println(total + " " + longest);
    }
}
