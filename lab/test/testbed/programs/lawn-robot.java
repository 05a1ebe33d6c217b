import java.util.Scanner;

public class Main {
    enum Facing { N, E, S, W }

    static final int[] DX = {0, 1, 0, -1};
    static final int[] DY = {1, 0, -1, 0};

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int width = in.nextInt(), height = in.nextInt();
        boolean[][] mown = new boolean[width][height];
        mown[0][0] = true;
        int x = 0, y = 0, facing = 0, bumps = 0, times = 1, count = 1;
        loop:
        for (char command : in.next().toCharArray()) {
            if (Character.isDigit(command)) {
                times = command - '0';
                continue loop;
            }
            for (int i = 0; i < times; i++) {
                switch (command) {
                    case 'L': facing = (facing + 3) % 4; break;
                    case 'R': facing = (facing + 1) % 4; break;
                    default: {
                        int sign = command == 'F' ? 1 : -1;
                        int nx = x + sign * DX[facing], ny = y + sign * DY[facing];
                        if (nx < 0 || ny < 0 || nx >= width || ny >= height) { bumps++; break; }
                        x = nx;
                        y = ny;
                        if (!mown[x][y]) { mown[x][y] = true; count++; }
                    }
                }
            }
            times = 1;
        }
        System.out.printf("%d %d %s %d %d%n", x, y, Facing.values()[facing], count, bumps);
    }
}
