"""Prints the constants of allocation_test.cpp: epsilons of one epoch by Laplace transforms at 64 digits.

E (K - S)_+ for the sum S of m turns' likelihood ratios is an inverse Laplace transform of L(s)^m / s^2, L that of
one turn, by the fixed Talbot method (Abate & Valko 2004). Both directions follow from it, since S has mean m. It
shares neither a lattice nor an FFT with src/privacy. Needs mpmath; half a minute for each line.
"""

import sys

from mpmath import arg, cot, exp, findroot, log, mp, mpc, mpf, nstr, pi, sqrt

mp.dps = 64
# Turns, sigma, and a guess of the epsilon where the row is removed and where it is added.
SETTINGS = [(2, "0.5", 10.3, 8), (3, "1", 3.8, 2.8), (10, "2", 0.73, 0.68), (25, "1", 1.84, 0.977)]
SETTINGS += [(100, "0.45", 7.9, 1.8), (100, "0.48", 6.95, 1.6), (100, "0.6", 4.25, 1.07), (100, "0.8", 1.87, 0.675)]
SETTINGS += [(1000, "0.6", 2.07, 0.376)]
POINTS = 80


def laplace(s, a):
    """E exp(-s w) along a line in the complex plane on which s w has a positive real part."""
    spacing, shift = mpf(1) / 14, -arg(s) * mpf(3) / 4 / a
    total = mpf(0)
    for k in range(-196, 197):
        x = mpc(spacing * k, shift)
        total += exp(-x * x / 2 - s * exp(a * x - a * a / 2))
    return total * spacing / sqrt(2 * pi)


def expected_shortfall(m, a, level):
    """E (level - S)_+."""
    r = 2 * mpf(POINTS) / (5 * level)
    total = exp(r * level) * laplace(mpc(r, 0), a) ** m / r**2 / 2
    for k in range(1, POINTS):
        angle = k * pi / POINTS
        s = r * angle * mpc(cot(angle), 1)
        slope = angle + (angle * cot(angle) - 1) * cot(angle)
        total += (exp(s * level) * laplace(s, a) ** m / s**2 * mpc(1, slope)).real
    return (total * r / POINTS).real


def delta(m, sigma, epsilon, direction):
    a, factor = 1 / mpf(sigma), exp(mpf(epsilon))
    if direction == "remove":
        return (expected_shortfall(m, a, m * factor) + m - m * factor) / m
    return factor / m * expected_shortfall(m, a, m / factor)


def epsilon_of(m, sigma, direction, guess):
    """Where delta is 1e-6, to 12 digits: log delta is nearly linear in epsilon."""

    def excess(e):
        return log(delta(m, sigma, e, direction) * 10**6)

    return findroot(excess, (mpf(guess), mpf(guess) * mpf("1.001")), solver="secant", tol=1e-26, maxsteps=12)


def main():
    for m, sigma, remove, add in SETTINGS:
        found = [epsilon_of(m, sigma, "remove", remove), epsilon_of(m, sigma, "add", add)]
        print(f"    {{{m}, {sigma}, {nstr(found[0], 12)}, {nstr(found[1], 12)}}},", flush=True)


sys.exit(main())
