import type { MovementKind } from "@holdfast/acquirer";
import { nothing, HALF, WHOLE, type Answer, type Movement, type Request, type Scenario } from "./world.ts";

/** A way in which the bank may carry out a request that has reached it. */
export type Done = { book: Movement[]; answer: Answer; label: string };
export type Conditions = Pick<Scenario, "bank" | "type" | "approvesParts" | "accepts" | "copies"> & {
  dayIsClosed: boolean;
};

/** The reference of the payment itself. */
export const SALE = "sale";

export function carryOut(book: readonly Movement[], request: Request, conditions: Conditions): Done[] {
  const undone = undoLast(book, request, conditions);
  if (undone) return [undone];
  if (request.kind === "reverse") return reverse(book, request, conditions);
  const under = book.filter(({ ref, account }) => ref === request.ref && account === request.account);
  const dead = under.find(({ state }) => state === "bound" || state === "expired");
  if (dead) {
    const answer = nothing(dead.state === "bound" ? "declined" : "expired");
    return [{ book: [...book], answer, label: `refuses the ${request.ref}, whose reference is bound` }];
  }
  if (under.some(({ state }) => state === "pending"))
    return [{ book: [...book], answer: nothing("pending"), label: `still decides on the ${request.ref}` }];
  const { repetition } = conditions.bank;
  const judged = under.find(({ state }) => state === "approved" || state === "voided") ?? under[0];
  if (judged && repetition === "replay") {
    const answer = judged.state === "declined" ? nothing("declined") : approval(judged);
    return [{ book: [...book], answer, label: `repeats its answer to the ${request.ref}` }];
  }
  if (judged && judged.state !== "declined" && repetition === "refuses_second_success") {
    return [{ book: [...book], answer: nothing("unknown"), label: `refuses a second ${request.ref}` }];
  }
  return [...judge(book, request, conditions), ...takeForCopy(book, request, conditions)];
}

/**
 * Carries out a void that names nothing, which reverses the order's last movement after its payment. The
 * answer does not name it, and the record then shows the payment without it, so that `voidByRecord` calls the
 * outcome pending.
 */
function undoLast(
  book: readonly Movement[],
  { kind, account }: Request,
  { bank }: Conditions,
): Done | undefined {
  if (!bank.voidsLast || (kind !== "void" && kind !== "reverse")) return undefined;
  const last = standing(book, account, "refund").at(-1) ?? standing(book, account, "capture").at(-1);
  if (!last) return undefined;
  const label = `undoes the ${last.ref}, which came last`;
  return { book: withVoided(book, last).toSorted(byText), answer: nothing("pending"), label };
}

function withVoided(book: readonly Movement[], voided: Movement): Movement[] {
  return book.map((movement) => (movement === voided ? { ...movement, state: "voided" as const } : movement));
}

/** The bank's duplicate window: it compares movements, and not our references, and may be over. */
function takeForCopy(book: readonly Movement[], request: Request, { copies }: Conditions): Done[] {
  if (!copies) return [];
  const { kind, amount, account, ref } = request;
  const first = standing(book, account, kind as MovementKind).find(
    (movement) => movement.amount === amount && movement.ref !== ref,
  );
  if (!first) return [];
  const label = `takes the ${ref} for a copy of the ${first.ref}`;
  return [{ book: [...book], answer: approval(first), label }];
}

function judge(book: readonly Movement[], request: Request, conditions: Conditions): Done[] {
  const declined: Done = {
    book: withMovement(book, request, "declined"),
    answer: nothing("declined"),
    label: `declines the ${request.ref}`,
  };
  if (!canCarryOut(book, request, conditions)) return [declined];
  const approved = approve(book, request, conditions);
  if (request.kind === "sale" || request.kind === "authorize") {
    const part = approve(book, { ...request, amount: HALF }, conditions);
    return [
      approved,
      ...(conditions.approvesParts ? [{ ...part, label: `approves a part of the ${request.ref}` }] : []),
      ...(conditions.accepts ? [accept(book, request)] : []),
      declined,
    ];
  }
  return [approved, declined];
}

function accept(book: readonly Movement[], request: Request): Done {
  const accepted = withMovement(book, request, "pending");
  return { book: accepted, answer: nothing("pending"), label: `accepts the ${request.ref}, to decide later` };
}

/** Every way in which the bank may decide on an accepted request. No call waits for an answer. */
export function decideAccepted(
  book: readonly Movement[],
  conditions: Conditions,
): { book: Movement[]; label: string }[] {
  const accepted = book.find(({ state }) => state === "pending");
  if (!accepted) return [];
  const others = book.filter((movement) => movement !== accepted);
  const judged = judge(others, accepted, { ...conditions, accepts: false });
  return judged.map(({ book: after, label }) => ({ book: after, label: `${label}, which it had accepted` }));
}

function approve(book: readonly Movement[], request: Request, { bank }: Conditions): Done {
  const { kind, ref, account, amount } = request;
  const label = `approves the ${ref}`;
  const charge = chargeOf(book, account);
  const rest = kind === "void" && charge ? withVoided(book, charge) : book;
  if (kind === "void" && charge && bank.voidsLast)
    return { book: rest.toSorted(byText), answer: approval(charge), label };
  const name = bank.sharesNames && (kind === "capture" || kind === "void") ? charge?.id : undefined;
  const after = withMovement(rest, request, "approved", name);
  const id = name ?? `${ref}#${countApproved(after, request)}`;
  return { book: after, answer: { kind: "approved", amount, id }, label };
}

/** The bank's own rules of life. */
function canCarryOut(
  book: readonly Movement[],
  { kind, amount, account }: Request,
  { dayIsClosed }: Conditions,
): boolean {
  const charge = chargeOf(book, account);
  const sum = (wanted: MovementKind) =>
    standing(book, account, wanted).reduce((total, movement) => total + movement.amount, 0);
  switch (kind) {
    case "sale":
    case "authorize":
      return true;
    case "capture":
      return charge?.kind === "authorize" && sum("capture") === 0 && amount <= charge.amount - sum("release");
    case "release":
      return charge?.kind === "authorize" && sum("capture") === 0 && amount <= charge.amount - sum("release");
    case "void":
      return (
        charge !== undefined &&
        sum("capture") + sum("refund") === 0 &&
        !(charge.kind === "sale" && dayIsClosed)
      );
    case "refund":
      return amount <= (charge?.kind === "sale" ? charge.amount : sum("capture")) - sum("refund");
    case "reverse":
      return false;
    default:
      return kind satisfies never;
  }
}

function reverse(
  book: readonly Movement[],
  { account, amount, ref }: Request,
  conditions: Conditions,
): Done[] {
  const { bindsUnseen, repetition } = conditions.bank;
  const done = (answer: Answer, label: string, after = book): Done => ({ book: [...after], answer, label });
  const under = book.filter((movement) => movement.ref === ref && movement.account === account);
  const charge = chargeOf(book, account);
  if (under.some(({ state }) => state === "pending")) {
    const others = book.filter(({ state }) => state !== "pending");
    return bindsUnseen
      ? [
          done(
            nothing("reversed"),
            "binds the sale that it had accepted",
            bind(others, { ref, account }, conditions),
          ),
        ]
      : [done(nothing("nothing_found"), "finds nothing to reverse")];
  }
  if (!charge) {
    if (under.some(({ state }) => state === "voided" || state === "bound")) {
      return [done(nothing(repetition === "replay" ? "reversed" : "unknown"), "gets a reversal again")];
    }
    if (under.length > 0) return [done(nothing("reversed"), "has nothing left to reverse")];
    return bindsUnseen
      ? [
          done(
            nothing("reversed"),
            "binds the sale, which it has not seen",
            bind(book, { ref, account }, conditions),
          ),
        ]
      : [done(nothing("nothing_found"), "finds nothing to reverse")];
  }
  if (charge.amount !== amount) return [done(nothing("unknown"), "does not know a sale of that amount")];
  if (conditions.dayIsClosed && charge.kind === "sale")
    return [done(nothing("settled"), "has settled the sale")];
  return [
    done(nothing("reversed"), "reverses the sale", withVoided(book, charge).toSorted(byText)),
    done(nothing("refused"), "refuses the reversal"),
  ];
}

function bind(
  book: readonly Movement[],
  { ref, account }: Pick<Movement, "ref" | "account">,
  { type }: Conditions,
): Movement[] {
  const kind = type === "PAYMENT" ? "sale" : "authorize";
  const bound: Movement = { account, kind, ref, state: "bound", amount: WHOLE, id: "" };
  return [...book, bound].toSorted(byText);
}

/**
 * A movement that took effect a second time, under a name of its own; the answer has the first one's name.
 */
export function again({ book, answer, label }: Done, request: Request): Done {
  return { book: withMovement(book, request, "approved"), answer, label: `${label}, twice` };
}

/**
 * The request is too late by the bank's clock: nothing is carried out, and nothing ever will be under this
 * reference.
 */
export function callLate(book: readonly Movement[], request: Request): Done {
  const after = request.kind === "reverse" ? [...book] : withMovement(book, request, "expired");
  return { book: after, answer: nothing("expired"), label: `answers that the ${request.ref} came too late` };
}

/** @param name the bank's name of an approved movement; by default the movement's own. */
function withMovement(
  book: readonly Movement[],
  { account, kind, ref, amount }: Request,
  state: "approved" | "declined" | "expired" | "pending",
  name = `${ref}#${countApproved(book, { account, ref }) + 1}`,
): Movement[] {
  const id = state === "approved" ? name : "";
  const movement: Movement = { account, kind: kind as MovementKind, ref, state, amount, id };
  // A second decline of one request says nothing new.
  const isKnown = state !== "approved" && book.some((other) => byText(other, movement) === 0);
  return isKnown ? [...book] : [...book, movement].toSorted(byText);
}

function byText(one: Movement, other: Movement): number {
  const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
  return first === second ? 0 : first < second ? -1 : 1;
}

function countApproved(
  book: readonly Movement[],
  { account, ref }: { account: number; ref: string },
): number {
  return book.filter((movement) => movement.account === account && movement.ref === ref && movement.id !== "")
    .length;
}

const approval = ({ amount, id }: Movement): Answer => ({ kind: "approved", amount, id });

/** The sale or authorization that stands. */
export function chargeOf(book: readonly Movement[], account: number): Movement | undefined {
  return book.find(
    (movement) =>
      movement.account === account &&
      movement.state === "approved" &&
      (movement.kind === "sale" || movement.kind === "authorize"),
  );
}

/** Movements of a kind that took effect. */
export function standing(book: readonly Movement[], account: number, kind: MovementKind): Movement[] {
  return book.filter(
    (movement) => movement.account === account && movement.kind === kind && movement.state === "approved",
  );
}
