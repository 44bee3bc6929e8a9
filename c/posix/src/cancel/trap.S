/* A call of the kernel that a cancellation keeps from waiting: the flag is looked at behind the first label, and a signal
 * that comes from there to the trap goes on behind the last one. The registers and what they mean are those of riposte.h;
 * RIPOSTE_INFO_ERROR is 1 << 7, RIPOSTE_ERROR_INTERRUPTED is 4. */

#ifdef __arm__
    .syntax unified
    .thumb
    .section .text.posix_cancel_trap, "ax"
    .global posix_cancel_trap, posix_cancel_trap_first, posix_cancel_trap_last, posix_cancel_trap_stopped
    .type posix_cancel_trap, %function
    .thumb_func
posix_cancel_trap:
    push {r0, r4-r11, lr}
#ifdef __ARM_FP
    vpush {s16-s31}
#endif
posix_cancel_trap_first:
    ldr r2, [r2]
    cmp r2, #0
    bne 1f
    ldm r0, {r4-r11}
    ldr r12, [r1, #16]
    ldm r1, {r0-r3}
posix_cancel_trap_last:
    svc 0
#ifdef __ARM_FP
    vpop {s16-s31}
#endif
    ldr r0, [sp]
    stm r0, {r4-r11}
    pop {r0, r4-r11, pc}
posix_cancel_trap_stopped:
1:
#ifdef __ARM_FP
    vpop {s16-s31}
#endif
    ldr r0, [sp]
    movs r1, #4
    str r1, [r0]
    movs r1, #128
    str r1, [r0, #8]
    pop {r0, r4-r11, pc}
    .size posix_cancel_trap, . - posix_cancel_trap

    /* The stack is aligned for functions: it may be in the middle of one. */
    .section .text.posix_cancel_anywhere, "ax"
    .global posix_cancel_anywhere
    .type posix_cancel_anywhere, %function
    .thumb_func
posix_cancel_anywhere:
    mov r0, sp
    bic r0, r0, #7
    mov sp, r0
    bl posix_cancel_now
    .size posix_cancel_anywhere, . - posix_cancel_anywhere
#else
    .section .text.posix_cancel_trap, "ax"
    .global posix_cancel_trap, posix_cancel_trap_first, posix_cancel_trap_last, posix_cancel_trap_stopped
    .type posix_cancel_trap, @function
posix_cancel_trap:
    addi sp, sp, -48
    sw ra, 0(sp)
    sw s0, 4(sp)
    sw s2, 8(sp)
    sw s3, 12(sp)
    sw s4, 16(sp)
    sw s5, 20(sp)
    sw s6, 24(sp)
    sw s7, 28(sp)
    sw s8, 32(sp)
    sw s9, 36(sp)
    sw s10, 40(sp)
    sw s11, 44(sp)
    mv s0, a0
posix_cancel_trap_first:
    lw t0, 0(a2)
    bnez t0, 2f
    lw s2, 0(a0)
    lw s3, 4(a0)
    lw s4, 8(a0)
    lw s5, 12(a0)
    lw s6, 16(a0)
    lw s7, 20(a0)
    lw s8, 24(a0)
    lw s9, 28(a0)
    lw s10, 0(a1)
    lw s11, 4(a1)
    lw a2, 8(a1)
    lw a3, 12(a1)
    lw a4, 16(a1)
posix_cancel_trap_last:
    ecall
    sw s2, 0(s0)
    sw s3, 4(s0)
    sw s4, 8(s0)
    sw s5, 12(s0)
    sw s6, 16(s0)
    sw s7, 20(s0)
    sw s8, 24(s0)
    sw s9, 28(s0)
    j 1f
posix_cancel_trap_stopped:
2:
    li t0, 4
    sw t0, 0(s0)
    li t0, 128
    sw t0, 8(s0)
1:
    lw ra, 0(sp)
    lw s0, 4(sp)
    lw s2, 8(sp)
    lw s3, 12(sp)
    lw s4, 16(sp)
    lw s5, 20(sp)
    lw s6, 24(sp)
    lw s7, 28(sp)
    lw s8, 32(sp)
    lw s9, 36(sp)
    lw s10, 40(sp)
    lw s11, 44(sp)
    addi sp, sp, 48
    ret
    .size posix_cancel_trap, . - posix_cancel_trap

    /* The stack is aligned for functions: it may be in the middle of one. */
    .section .text.posix_cancel_anywhere, "ax"
    .global posix_cancel_anywhere
    .type posix_cancel_anywhere, @function
posix_cancel_anywhere:
    andi sp, sp, -16
    call posix_cancel_now
    .size posix_cancel_anywhere, . - posix_cancel_anywhere
#endif
