import { transition } from "../../services/refunds/src/refund/refund.ts";
import type { AcquirerOutcome } from "@holdfast/acquirer";
import type { Kind, Request } from "./bank.ts";
import type { Event } from "./explore.ts";
import { asOutcome, judge, type Ours } from "./ours.ts";
import { ask, sent } from "./payment-steps.ts";
import { withRows, type Working, type World } from "./world.ts";

const REQUEST: Request = { operation: "refund", amount: "half" };

/** What the refunds service may do next with a refund of half of the sale, which operators approve when there is one. */
export function refundSteps(world: World, ours: Ours, kind: Kind): Event<World>[] {
  const { refunds: working, rows } = world;
  switch (working?.at) {
    case undefined:
      if (rows.refund === "EXECUTING") return resume(world, ours, kind);
      return rows.payment === "SUCCESS" && rows.refund === "none"
        ? [{ label: "operators approve a refund", state: sending(withRows(world, { refund: "EXECUTING" })) }]
        : [];
    case "sending":
      return [
        {
          label: "refunds sends the refund",
          state: {
            ...doing(world, { at: "calling", request: REQUEST }),
            wire: sent(world.wire, REQUEST),
          },
        },
        {
          label: "refunds cannot send the refund",
          state: doing(world, { at: "answered", request: REQUEST, answer: { kind: "not_sent" } }),
        },
      ];
    case "answered": {
      const { answer } = working;
      const noted = answer.kind === "not_sent" ? withRows(world, { refundSent: "never" }) : world;
      return [
        {
          label: `refunds takes ${answer.kind} for the refund`,
          state: conclude(noted, asOutcome(answer, REQUEST.amount)),
        },
      ];
    }
    default:
      return [];
  }
}

function resume(world: World, ours: Ours, kind: Kind): Event<World>[] {
  return ask(world, "refund").flatMap(({ answer, label }) => {
    const outcome = judge(ours, answer, {
      asked: REQUEST.amount,
      sent: world.rows.refundSent,
      capabilities: kind,
    });
    if (outcome === "wait" || outcome === "repeat_anew") return [];
    return [{ label, state: outcome === "repeat" ? sending(world) : conclude(world, outcome) }];
  });
}

function conclude(world: World, outcome: AcquirerOutcome): World {
  if (outcome.kind !== "approved" && outcome.kind !== "declined") return doing(world, null);
  const to = outcome.kind === "approved" ? "SETTLING" : "FAILING";
  transition("EXECUTING", to);
  return doing(withRows(world, { refund: to }), null);
}

function sending(world: World): World {
  return doing(withRows(world, { refundSent: "may arrive" }), { at: "sending", request: REQUEST });
}

function doing(world: World, refunds: Working): World {
  return { ...world, refunds };
}
