import java.util.*;
import java.util.stream.*;

public class Main {
    public static void main(String[] args) {
        Scanner scanner = new Scanner(System.in);
        Map<String, Set<String>> families = new LinkedHashMap<>();
        while (scanner.hasNext()) {
            String word = scanner.next();
            char[] letters = word.toLowerCase().toCharArray();
            Arrays.sort(letters);
            families.computeIfAbsent(new String(letters), key -> new LinkedHashSet<>()).add(word);
        }
        List<Set<String>> large = families.values().stream()
            .filter(family -> family.size() > 1)
            .sorted((a, b) -> b.size() - a.size())
            .collect(Collectors.toList());
        if (large.isEmpty()) System.out.println("NONE");
        for (Set<String> family : large) {
            StringBuilder line = new StringBuilder();
            for (String word : family) {
                if (line.length() > 0) line.append(' ');
                line.append(word);
            }
            System.out.println(line);
        }
    }
}
