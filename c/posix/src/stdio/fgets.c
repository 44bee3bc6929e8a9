/* fgets, in place of the C library's own, which says of a last line without an end that there is none. */

#include <stddef.h>
#include <stdio.h>

char *fgets(char *text, int size, FILE *stream)
{
    int length = 0, letter = 0;
    if (size <= 0)
        return NULL;
    while (length < size - 1 && letter != '\n') {
        letter = getc(stream);
        if (letter == EOF)
            break;
        text[length++] = (char)letter;
    }
    if (letter == EOF && (!length || !feof(stream)))
        return NULL;
    text[length] = '\0';
    return text;
}
