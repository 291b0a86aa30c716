/* SPDX-License-Identifier: MIT */
#pragma once
/* What the widest registers of this CPU do with doubles that wait for nothing: per second. */
struct peak {
    double operations; /* additions and multiplications, half of each */
    double roots, divisions;
};

struct peak peak_measure(void);
