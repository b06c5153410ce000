"""Writes readings of a sensor into a topic of four partitions until it is ended: sensors.py HOST:PORT TOPIC"""

import json
import math
import random
import sys
import time

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

address, topic = sys.argv[1:]
admin = AdminClient({"bootstrap.servers": address})
admin.create_topics([NewTopic(topic, num_partitions=4)])[topic].result(30)
print("the topic is there", flush=True)
producer = Producer({"bootstrap.servers": address, "linger.ms": 20, "enable.idempotence": True, "log_level": 0})
for count in range(10**9):
    day = math.sin(count / 20_000)
    temp = 15 + 10 * day + random.gauss(0, 3)
    reading = {"temp": round(temp, 2), "humidity": round(60 - 1.2 * (temp - 15) + random.gauss(0, 5), 1)}
    producer.produce(topic, json.dumps(reading))
    producer.poll(0)
    if count % 100 == 99:
        time.sleep(0.05)
