// SPDX-License-Identifier: MIT
//
// The packages that this folder installs, also for tests elsewhere.

export { decode, encode } from '@msgpack/msgpack';
export { default as Redis } from 'ioredis';
