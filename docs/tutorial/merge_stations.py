#!/usr/bin/python3
"""Joins the twelve files of the real data into one stream, hour by hour.

Usage: merge_stations.py PRSA_Data_*.csv > air.csv

The data: "Beijing Multi-Site Air-Quality", UCI machine learning repository, dataset 501, CC BY 4.0. Its archive holds
one file a station, hours in order, NA for what is missing.
"""

import csv
import sys

COLUMNS = ["year", "month", "day", "hour", "station", "PM2.5", "PM10", "SO2", "NO2", "CO", "O3", "TEMP", "PRES", "DEWP",
           "RAIN", "WSPM"]


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    stations = []
    for path in sys.argv[1:]:
        with open(path, newline="") as file:
            stations.append(list(csv.DictReader(file)))
    stations.sort(key=lambda rows: rows[0]["station"])
    if len({len(rows) for rows in stations}) != 1:
        sys.exit("merge_stations: the files have different numbers of hours")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    for hour in zip(*stations):
        if len({tuple(row[name] for name in COLUMNS[:4]) for row in hour}) != 1:
            sys.exit("merge_stations: the files do not have the same hours")
        for row in hour:
            out.writerow("" if row[name] == "NA" else row[name] for name in COLUMNS)


if __name__ == "__main__":
    main()
