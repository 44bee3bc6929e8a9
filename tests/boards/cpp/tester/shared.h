/* What the sources share. */

#ifndef SHARED_H
#define SHARED_H

#ifdef __cplusplus
extern "C" {
#endif

int plain_c(int number);

#ifdef __cplusplus
}

extern int constructed;

struct Made {
    int number;
    explicit Made(int number) : number(number)
    {
        constructed += number;
    }
};
extern Made first;
extern int from_plain_c;
#endif

#endif
