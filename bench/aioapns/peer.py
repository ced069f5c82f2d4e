"""A peer for the benchmark: sends as many notifications as a job says, the way aioapns is used. A number of tasks share
one client; each takes a device, sends, awaits the answer, takes the next.

    peer.py job.json

prints {"completed":…,"failed":…,"seconds":…,"cpu_seconds":…}.
"""

import asyncio
import json
import logging
import resource
import secrets
import ssl
import sys
import time
import uuid

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def request(job, payload, device):
    return NotificationRequest(
        device_token=device,
        message=payload,
        notification_id=str(uuid.uuid4()),
        time_to_live=3600,
        priority=10,
        collapse_key=str(uuid.uuid4()),
        push_type=PushType.ALERT,
    )


async def run(job):
    # The library has no setting for another push service.
    APNsProductionClientProtocol.APNS_SERVER = "localhost"
    APNsProductionClientProtocol.APNS_PORT = job["port"]
    with open(job["key_file"]) as file:
        key = file.read()
    client = APNs(
        key=key,
        key_id=job["key_id"],
        team_id=job["team_id"],
        topic=job["topic"],
        ssl_context=ssl.create_default_context(cafile=job["certificate_file"]),
    )
    payload = json.loads(job["payload"])
    devices = [secrets.token_hex(32) for _ in range(job["count"])]
    # Opens the first connection, which is not what is measured.
    opened = await client.send_notification(request(job, payload, secrets.token_hex(32)))
    if not opened.is_successful:
        raise SystemExit(f"{opened.status} {opened.description}")
    waiting = iter(devices)
    counts = {"completed": 0, "failed": 0}

    async def work():
        for device in waiting:
            answer = await client.send_notification(request(job, payload, device))
            counts["completed" if answer.is_successful else "failed"] += 1

    started, cpu = time.monotonic(), cpu_seconds()
    await asyncio.gather(*(work() for _ in range(job["concurrency"])))
    return counts | {"seconds": time.monotonic() - started, "cpu_seconds": cpu_seconds() - cpu}


def main():
    # One line for each push that waits for a free stream would cost it time.
    logging.disable(logging.WARNING)
    with open(sys.argv[1]) as file:
        job = json.load(file)
    print(json.dumps(asyncio.run(run(job))))


main()
