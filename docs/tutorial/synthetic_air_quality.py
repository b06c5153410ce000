#!/usr/bin/python3
"""Writes a made-up air-quality file: the columns of the real one (UCI 501), a formula in place of people's air.

Usage: synthetic_air_quality.py [--rows N] [--missing SHARE] [--seed S] > air.csv

Twelve stations an hour. Pollutants go up and down together with the still air between winds, ozone against them
and with the sun; some cells are blank.
"""

import argparse
import datetime
import sys

import numpy as np

STATIONS = ["Aotizhongxin", "Changping", "Dingling", "Dongsi", "Guanyuan", "Gucheng", "Huairou", "Nongzhanguan",
            "Shunyi", "Tiantan", "Wanliu", "Wanshouxigong"]
HEADER = "year,month,day,hour,station,PM2.5,PM10,SO2,NO2,CO,O3,TEMP,PRES,DEWP,RAIN,WSPM"


def slow_noise(generator, hours, memory):
    """A stationary series of unit variance that forgets in about `memory` hours."""
    keep = np.exp(-1 / memory)
    steps = generator.standard_normal(hours) * np.sqrt(1 - keep * keep)
    values = np.empty(hours)
    value = generator.standard_normal()
    for i in range(hours):
        value = keep * value + steps[i]
        values[i] = value
    return values


def columns(rows, generator):
    hours = -(-rows // len(STATIONS))
    hour = np.arange(hours)
    day = 2 * np.pi * (hour % 24 - 15) / 24
    year = 2 * np.pi * (hour / 24 - 140) / 365.25
    still = slow_noise(generator, hours, 30)
    weather = slow_noise(generator, hours, 60)

    def cells(per_hour, spread):
        """One number per station, in the order of the file."""
        own = generator.standard_normal((hours, len(STATIONS))) * spread
        return (np.asarray(per_hour)[:, None] + own).reshape(-1)[:rows]

    temp = cells(13 + 14 * np.cos(year) + 4 * np.cos(day) + 3 * weather, 0.8)
    wind = np.clip(cells(1.8 - 0.7 * still + 0.4 * np.cos(day), 0.4), 0, None)
    fine = np.exp(cells(3.9 + 0.75 * still - 0.2 * np.cos(year), 0.25))
    return {
        "PM2.5": np.clip(fine, 2, 999),
        "PM10": np.clip(1.2 * fine + np.exp(cells(2.8 + 0.3 * still, 0.4)), 2, 999),
        "SO2": np.clip(np.exp(cells(2.2 + 0.5 * still - 0.5 * np.cos(year), 0.4)), 1, 500),
        "NO2": np.clip(cells(48 + 20 * still - 8 * np.cos(day), 10), 2, 290),
        "CO": np.clip(np.round(100 * np.exp(cells(2.3 + 0.6 * still - 0.3 * np.cos(year), 0.2))), 100, 10000),
        "O3": np.clip(cells(58 - 12 * still + 30 * np.cos(day) + 25 * np.cos(year), 12), 1, 500),
        "TEMP": temp,
        "PRES": cells(1011 - 9 * np.cos(year) - 3 * weather, 0.5),
        "DEWP": cells(2 + 15 * np.cos(year) + 4 * weather, 1.0),
        "RAIN": np.where(cells(weather, 0.3) > 2.2, 1.0, 0.0),
        "WSPM": wind,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--missing", type=float, default=0.02, help="share of blank pollutant cells (default 0.02)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = np.random.Generator(np.random.PCG64(options.seed))
    table = columns(options.rows, generator)
    blank = {name: generator.random(options.rows) < (options.missing if name in ("PM2.5", "PM10", "SO2", "NO2", "CO", "O3")
                                                     else options.missing / 20) for name in table}
    start = datetime.datetime(2013, 3, 1)
    lines = [HEADER]
    for row in range(options.rows):
        when = start + datetime.timedelta(hours=row // len(STATIONS))
        numbers = ["" if blank[name][row] else f"{values[row]:.1f}" for name, values in table.items()]
        lines.append(",".join([str(when.year), str(when.month), str(when.day), str(when.hour),
                               STATIONS[row % len(STATIONS)], *numbers]))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
