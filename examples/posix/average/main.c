/* Works out the average of the samples in its standard input; its status is how many there were. */

#include <stdio.h>

int main(void)
{
    unsigned number;
    int tenths, sum = 0, count = 0;
    while (scanf("%u %d", &number, &tenths) == 2) {
        sum += tenths;
        count++;
    }
    if (count > 0)
        printf("average: %d.%d degrees\n", sum / count / 10, sum / count % 10);
    return count;
}
