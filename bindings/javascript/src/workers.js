// Workers of a design as handlers: of the records of a stream, of a schedule. What a run does is the core's; these decide how many
// there are at a time, and the event of a Lambda.

import { kindOf, plain, tableOf } from "./client.js";

/** How many runs of a worker there are at a time, unless the design allows fewer or the caller says otherwise. */
const CONCURRENCY = 16;

/**
 * Runs every worker that a record starts, one record after the other. Stops at the first failure and names its record, so that
 * Lambda sends this one and those behind it again (`ReportBatchItemFailures`).
 */
export async function records(client, names, records, { onFailure = logged } = {}) {
  for (const record of records) {
    const { NewImage, OldImage, SequenceNumber: at } = record.dynamodb ?? {};
    const change = { table: tableOf(record), kind: kindOf(record), image: plain(NewImage ?? OldImage) ?? {}, at: String(at) };
    for (const worker of names) {
      try {
        await client.turn(worker, { change });
      } catch (error) {
        onFailure(error, worker);
        return { batchItemFailures: [{ itemIdentifier: change.at }] };
      }
    }
  }
  return { batchItemFailures: [] };
}

/** Runs what is due, until nothing is left or the time is over. */
export async function due(client, worker, { concurrency, per }, options = {}) {
  const { until = Infinity, onFailure = logged } = options;
  const most = Math.min(options.concurrency ?? CONCURRENCY, concurrency);
  const report = { runs: 0, failed: 0, isDone: true };
  const run = async (item) => {
    const { ran, message } = await client.turn(worker, { one: item });
    report.runs += ran === "not" ? 0 : 1;
    if (ran === "failed" || ran === "dead") {
      report.failed += 1;
      onFailure(new Error(message), worker);
    }
  };
  let cursor;
  do {
    const page = await client.turn(worker, { due: { cursor } });
    report.isDone = await sideBySide(page.items, most, per ?? most, () => Date.now() < until, run);
    cursor = page.cursor ?? undefined;
  } while (cursor && report.isDone);
  return report;
}

/** Runs the slot of a schedule that a moment belongs to, unless it ran. */
export async function slot(client, worker, at = Date.now()) {
  const atMs = new Date(at).getTime();
  const { ran } = await client.turn(worker, { slot: { atMs } });
  return { runs: ran === "not" ? 0 : 1, failed: 0, isDone: true };
}

/** Runs items, so many at a time and so many of one share. False if the time was over before all had begun. */
async function sideBySide(items, most, mostOfShare, hasTime, run) {
  const waiting = [...items];
  const underWay = new Set();
  const shares = new Map();
  let failure;
  while (waiting.length > 0 || underWay.size > 0) {
    const mayBegin = failure === undefined && hasTime() && underWay.size < most;
    const next = mayBegin ? waiting.findIndex(({ share }) => (shares.get(share) ?? 0) < mostOfShare) : -1;
    if (next >= 0) {
      const [item] = waiting.splice(next, 1);
      shares.set(item.share, (shares.get(item.share) ?? 0) + 1);
      const running = run(item)
        .catch((error) => {
          failure ??= error;
        })
        .finally(() => {
          shares.set(item.share, shares.get(item.share) - 1);
          underWay.delete(running);
        });
      underWay.add(running);
    } else if (underWay.size > 0) {
      await Promise.race(underWay);
    } else {
      break;
    }
  }
  if (failure !== undefined) {
    throw failure;
  }
  return waiting.length === 0;
}

function logged(error, worker) {
  console.error(`worker ${worker}:`, error);
}
