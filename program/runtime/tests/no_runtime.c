/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that loads no CUDA at all.
 */
int main(void) {
    return 0;
}
