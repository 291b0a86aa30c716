/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The constants of exact_sin and exact_cos, computed from their definitions with 600 bits. The
 * error bounds in exact.c rest on the widths given here; tests/unit/exact.c computes each entry
 * again with MPFR.
 */
#include <stdint.h>

/* pi/64 = step_1 + step_2 + step_3: multiples of 2^-40 and of 2^-80 rounded down, then the rest as
 * a double. A small integer times one of the first two is exact. */
static const double exact_step_1 = 0x1.921fb5444p-5;
static const double exact_step_2 = 0x1.68c234c4cp-44;
static const double exact_step_3 = 0x1.98a2e03707345p-82;
/* 64/pi as a double. */
static const double exact_steps_per_radian = 0x1.45f306dc9c883p4;

/* sin(j*pi/64) = head + tail, j = 0..32: the nearest multiple of 2^-26, then the rest as a double.
 * Read backwards it is the table of cos(j*pi/64). */
static const struct exact_sine {
    double head, tail;
} exact_sines[33] = {
    {0x0p0, 0x0p0},
    {0x1.91f66p-5, -0x1.de44fd832257ap-30},
    {0x1.917a6cp-4, -0x1.eb25ea0f138c7p-31},
    {0x1.2c8106p-3, 0x1.d1cc27444c003p-28},
    {0x1.8f8b84p-3, -0x1.cb2cfaa4da337p-30},
    {0x1.f19f98p-3, -0x1.37a839542deefp-29},
    {0x1.294063p-2, -0x1.2a60fa574a369p-30},
    {0x1.58f9a7p-2, 0x1.6ac7f73f8409p-28},
    {0x1.87de2ap-2, 0x1.abaa58b469891p-28},
    {0x1.b5d101p-2, -0x1.87a8cff5264eap-28},
    {0x1.e2b5d4p-2, -0x1.fe4271387c9dcp-28},
    {0x1.0738798p-1, 0x1.22ffed9697fafp-29},
    {0x1.1c73b38p-1, 0x1.ae68c86c9774ap-29},
    {0x1.30ff8p-1, -0x1.8f47e58f7e631p-28},
    {0x1.44cf328p-1, -0x1.7b7114f3fc4afp-28},
    {0x1.57d6938p-1, -0x1.b989b02eae413p-28},
    {0x1.6a09e68p-1, -0x1.80c4336f74d05p-29},
    {0x1.7b5df2p-1, 0x1.3557d76f0ac85p-28},
    {0x1.8bc8068p-1, 0x1.8a8ba05a743dap-28},
    {0x1.9b3e048p-1, -0x1.8f17e98771434p-34},
    {0x1.a9b6628p-1, 0x1.0ea1a3033ec62p-29},
    {0x1.b728348p-1, -0x1.7348e1378d3e6p-28},
    {0x1.c38b2fp-1, 0x1.80bdb0d23e9d1p-29},
    {0x1.ced7af8p-1, -0x1.e19c46879edafp-28},
    {0x1.d906bdp-1, -0x1.9ae573aea067cp-30},
    {0x1.e212108p-1, -0x1.84bc8da0298eep-28},
    {0x1.e9f4158p-1, -0x1.39d225a27d387p-29},
    {0x1.f0a7ef8p-1, 0x1.c9186b952c7aep-28},
    {0x1.f6297dp-1, -0x1.1469faa77a357p-34},
    {0x1.fa7558p-1, -0x1.eeb5d2bd05465p-30},
    {0x1.fd88dap-1, 0x1.e89292cf04139p-28},
    {0x1.ff621ep-1, 0x1.bcb6bef1d421fp-28},
    {0x1p0, 0x0p0},
};

/* floor(pi/2 * 2^256), 32 bits a limb, the lowest first. */
static const uint32_t exact_half_pi[9] = {0x76273644, 0x04177d4c, 0x14cf98e8,
                                          0x52049c11, 0x01b839a2, 0x898cc517,
                                          0x42d18469, 0x921fb544, 0x00000001};
