import { afterAll, beforeAll, describe } from "vitest";

import type { Bench, ConformanceSetup } from "./bench.ts";
import { CallBuilder } from "./call-builder.ts";
import { describeApprovals } from "./describe-approvals.ts";
import { describeBounds } from "./describe-bounds.ts";
import { describeCancels } from "./describe-cancels.ts";
import { describeFollowUps } from "./describe-follow-ups.ts";
import { describeIdempotency } from "./describe-idempotency.ts";
import { describeReversals } from "./describe-reversals.ts";
import { describeThreeDs } from "./describe-three-ds.ts";
import { describeUnknowns } from "./describe-unknowns.ts";

/**
 * Tests the promises of every adapter of the port in `acquirer.ts`, against the bank's test environment. It is called
 * at the top of an adapter's test file; `setUp` runs once.
 */
export function describeAcquirerConformance(name: string, setUp: () => Promise<ConformanceSetup>): void {
  describe.concurrent(`${name} conforms to the acquirer port`, () => {
    let bench: Bench;
    beforeAll(async () => {
      const setup = await setUp();
      bench = { setup, acquirer: setup.acquirer, calls: new CallBuilder(setup.cards.approved) };
    });
    afterAll(() => bench.setup.close());

    describeApprovals(() => bench);
    describeIdempotency(() => bench);
    describeUnknowns(() => bench);
    describeReversals(() => bench);
    describeFollowUps(() => bench);
    describeCancels(() => bench);
    describeBounds(() => bench);
    describeThreeDs(() => bench);
  });
}
