#include <iostream>
#include <string>
using namespace std;

#ifndef SIZE_MAX_CELLS
#define SIZE_MAX_CELLS 64
#endif

int height, width;
char grid[SIZE_MAX_CELLS][SIZE_MAX_CELLS];
bool touches;

int sink(int row, int column) {
    if (row < 0 || column < 0 || row >= height || column >= width) return 0;
    if (grid[row][column] != '#') return 0;
    grid[row][column] = '.';
    touches |= row == 0 || column == 0 || row == height - 1 || column == width - 1;
    static const int moves[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    int size = 1;
    for (const auto& move : moves) size += sink(row + move[0], column + move[1]);
    return size;
}

int main() {
    cin >> height >> width;
    for (int i = 0; i < height; i++) {
        string line;
        cin >> line;
        for (int j = 0; j < width; j++) grid[i][j] = line[j];
    }
    int count = 0, largest = 0, inland = 0;
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            touches = false;
            if (int size = sink(i, j); size > 0) {
                count++;
                if (size > largest) largest = size;
                if (!touches) inland++;
            }
        }
    string text = "// not a comment: count";
    cout << count << " " << largest << " " << inland << (text.size() > 3 ? "\n" : "");
    return 0;
}
