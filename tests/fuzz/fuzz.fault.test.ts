import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { drawSeed } from "../chaos/random.ts";
import { runFuzz } from "./run-fuzz.ts";

/** A sample of the requests of `npm run fuzz`; the seed is printed, and HOLDFAST_SEED gives the same requests again. */
test("whatever is sent, no answer is a 5xx, every error is a problem, no process ends or grows", async () => {
  const home = await mkdtemp(join(tmpdir(), "holdfast-fuzz-"));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const seed = Number(process.env["HOLDFAST_SEED"] ?? drawSeed() >>> 1);
  const { faults, statuses } = await runFuzz({
    home,
    seed,
    requests: 1_500,
    log: (line) => process.stdout.write(`${line}\n`),
  });
  expect(faults.join("\n"), `seed ${seed}`).toBe("");
  // The document's valid requests are carried out, including those that change something.
  expect(statuses).toMatchObject({ 200: expect.any(Number), 400: expect.any(Number) });
  expect(
    [201, 202, 204].some((status) => status in statuses),
    JSON.stringify(statuses),
  ).toBe(true);
});
