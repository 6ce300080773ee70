import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BankMovement, InquiryOutcome, MovementKind } from "./acquirer.ts";
import type { Capabilities } from "./capabilities.ts";
import { isToldByNames, judge, namesShown, type Attempt, type Verdict } from "./judge.ts";

const KINDS = ["authorize", "sale", "capture", "void", "release", "refund"] as const;
/** An acquirer that gives our reference back, and one that never does. */
const NAMED = { ownReferenceOn: KINDS, sharesNameOn: [] };
const NAMELESS: Pick<Capabilities, "ownReferenceOn" | "sharesNameOn"> = {
  ownReferenceOn: [],
  sharesNameOn: [],
};

const NONE_BEFORE = { before: [], others: [] };
const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  reference: "r-1:refund",
  kind: "refund",
  amountMinor: 1_000n,
  currency: "TRY",
  names: NONE_BEFORE,
  ...change,
});
const movement = (change: Partial<BankMovement> = {}): BankMovement => ({
  kind: "refund",
  state: "approved",
  ownReference: "r-1:refund",
  amountMinor: 1_000n,
  currency: "TRY",
  externalTransactionId: "ext-1",
  authCode: "a-1",
  resultCode: "00",
  resultMessage: "Approved",
  ...change,
});
const found = (...movements: BankMovement[]): InquiryOutcome => ({ kind: "found", movements });
const named = (...movements: BankMovement[]) => judge(attempt(), found(...movements), NAMED);
const nameless = (...movements: BankMovement[]) => judge(attempt(), found(...movements), NAMELESS);

const MISMATCH: Verdict = { kind: "unknown", reason: "mismatch" };
const PENDING: Verdict = { kind: "unknown", reason: "pending" };

describe("without movements, the verdict is what the inquiry was answered", () => {
  test.each<Exclude<InquiryOutcome, { kind: "found" }>>([
    { kind: "not_found" },
    { kind: "unknown", reason: "timeout" },
    { kind: "not_sent", reason: "limit", notBefore: new Date() },
  ])("$kind", (inquiry) => {
    expect(judge(attempt(), inquiry, NAMED)).toEqual(inquiry);
    expect(judge(attempt(), inquiry, NAMELESS)).toEqual(inquiry);
  });

  test("and of an order that has none, that the attempt is not known", () => {
    expect(named()).toEqual({ kind: "not_found" });
    expect(nameless()).toEqual({ kind: "not_found" });
  });
});

describe("what became of the attempt", () => {
  test("approved, with all that the acquirer tells of it, in its own amount", () => {
    const authentication = { transStatus: "Y", eci: "05" } as const;
    expect(named(movement({ amountMinor: 900n, currency: "EUR", authentication }))).toEqual({
      kind: "approved",
      amountMinor: 900n,
      currency: "EUR",
      externalTransactionId: "ext-1",
      authCode: "a-1",
      resultCode: "00",
      resultMessage: "Approved",
      authentication,
    });
  });

  test("approved, by an acquirer that tells little of it", () => {
    const { ownReference, kind, state, amountMinor, currency } = movement();
    const result = { resultCode: "00", resultMessage: "Approved" };
    expect(named({ ownReference: ownReference!, kind, state, amountMinor, currency, ...result })).toEqual({
      kind: "approved",
      amountMinor,
      currency,
      externalTransactionId: "",
      authCode: "",
      ...result,
    });
  });

  test("declined, with the acquirer's reason", () => {
    const result = { resultCode: "51", resultMessage: "Insufficient funds" };
    const authentication = { transStatus: "N" } as const;
    const declined = { state: "declined", ...result, authentication } as const;
    const verdict = { kind: "declined", externalTransactionId: "ext-1", ...result, authentication };
    expect(named(movement(declined))).toEqual(verdict);
    const { externalTransactionId, ...unnamed } = movement({ state: "declined", ...result });
    expect(externalTransactionId).toBe("ext-1");
    expect(named(unnamed)).toEqual({ kind: "declined", ...result });
  });

  test.each<[BankMovement["state"], Partial<Verdict>]>([
    ["pending", PENDING],
    ["voided", { kind: "reversed" }],
    ["bound", { kind: "reversed" }],
    ["expired", { kind: "expired" }],
  ])("%s", (state, verdict) => {
    expect(named(movement({ state }))).toEqual(verdict);
    if (state !== "expired") expect(nameless(movement({ state }))).toEqual(verdict);
  });

  test.each(["declined", "expired"] as const)(
    "%s without our reference: it may be an earlier attempt's, unless an order has but one of the kind",
    (state) => {
      for (const kind of ["capture", "void", "release", "refund"] as const) {
        expect(judge(attempt({ kind }), found(movement({ kind, state })), NAMELESS)).toEqual({
          kind: "not_found",
        });
      }
      for (const kind of ["authorize", "sale"] as const) {
        expect(judge(attempt({ kind }), found(movement({ kind, state })), NAMELESS)).toMatchObject({
          kind: state,
        });
      }
    },
  );
});

describe("of several movements that are the attempt's", () => {
  /** The first of these states that one of the movements has decides. */
  const RANKS: readonly (readonly [readonly BankMovement["state"][], Partial<Verdict>])[] = [
    [["approved"], { kind: "approved" }],
    [["pending"], PENDING],
    [["voided", "bound"], { kind: "reversed" }],
    [["declined"], { kind: "declined" }],
    [["expired"], { kind: "expired" }],
  ];
  const cases = RANKS.flatMap(([states, verdict], rank) =>
    states.flatMap((first) =>
      RANKS.slice(rank + 1).flatMap(([lower]) => lower.map((second) => ({ first, second, verdict }))),
    ),
  );

  test.each(cases)("$first counts before $second", ({ first, second, verdict }) => {
    const [one, other] = [movement({ state: first }), movement({ state: second })];
    expect(named(one, other)).toMatchObject(verdict);
    expect(named(other, one)).toMatchObject(verdict);
  });

  test("two that took effect are for people to look at", () => {
    const other = movement({ externalTransactionId: "ext-2" });
    expect(named(movement(), other)).toEqual(MISMATCH);
    expect(nameless(movement(), other)).toEqual(MISMATCH);
  });

  test("the last decline is shown", () => {
    const declined = (resultCode: string) => movement({ state: "declined", resultCode });
    expect(named(declined("51"), declined("05"))).toMatchObject({ resultCode: "05" });
  });
});

describe("where the acquirer gives our reference back", () => {
  test("it alone tells which movement is ours, whatever its name", () => {
    const known = attempt({ names: { before: ["ext-1"], others: ["ext-1"] } });
    expect(judge(known, found(movement()), NAMED)).toMatchObject({ kind: "approved" });
  });

  test.each<Partial<BankMovement>>([{ ownReference: "r-1:refund:2" }, { ownReference: "" }])(
    "one of another reference is not ours: %o",
    (change) => expect(named(movement(change))).toEqual({ kind: "not_found" }),
  );

  test("one without a reference is not ours", () => {
    const { ownReference, ...unnamed } = movement();
    expect(ownReference).toBe("r-1:refund");
    expect(named(unnamed)).toEqual({ kind: "not_found" });
  });

  test("of some kinds only, the others are recognised without it", () => {
    const { ownReference, ...unnamed } = movement();
    expect(ownReference).toBe("r-1:refund");
    const sales = { ownReferenceOn: ["sale"], sharesNameOn: [] } as const;
    expect(judge(attempt(), found(unnamed), sales)).toMatchObject({ kind: "approved" });
    expect(judge(attempt({ kind: "sale" }), found({ ...unnamed, kind: "sale" }), sales)).toEqual({
      kind: "not_found",
    });
  });
});

describe("where the acquirer does not give our reference back, not ours is", () => {
  test("one of another kind", () => {
    for (const kind of KINDS.filter((kind) => kind !== "refund"))
      expect(nameless(movement({ kind }))).toEqual({ kind: "not_found" });
  });

  test.each([{ others: ["ext-0", "ext-1"] }, { before: ["ext-0", "ext-1"] }])(
    "one that was there before, or is another attempt's: %o",
    (known) => {
      const asked = attempt({ names: { ...NONE_BEFORE, ...known } });
      expect(judge(asked, found(movement()), NAMELESS)).toEqual({ kind: "not_found" });
      const [other, own] = [movement(), movement({ externalTransactionId: "ext-2" })];
      expect(judge(asked, found(other, own), NAMELESS)).toMatchObject({ externalTransactionId: "ext-2" });
    },
  );
});

describe("of the movements that an order may have many of, without our reference", () => {
  const among = (names: Attempt["names"], ...movements: BankMovement[]) => {
    const { names: _, ...asked } = attempt();
    return judge({ ...asked, ...(names && { names }) }, found(...movements), NAMELESS);
  };

  test.each<Partial<BankMovement>>([{ amountMinor: 999n }, { currency: "EUR" }])(
    "a new one that does not fit is for people to look at: %o",
    (change) => {
      expect(nameless(movement(change))).toEqual(MISMATCH);
      expect(among(undefined, movement(change))).toEqual(MISMATCH);
    },
  );

  test("one more under a name that was there before is for people, and is never unknown to the acquirer", () => {
    const copy = movement();
    for (const names of [
      { before: ["ext-1"], others: [] },
      { before: [], others: ["ext-1"] },
    ]) {
      expect(among(names, copy)).toEqual({ kind: "not_found" });
      expect(among(names, copy, copy)).toEqual(MISMATCH);
    }
    expect(among({ before: ["ext-1", "ext-1"], others: [] }, copy, copy)).toEqual({ kind: "not_found" });
  });

  test("a refused one under a known name is none more", () => {
    const names = { before: ["ext-1"], others: [] };
    expect(among(names, movement(), movement({ state: "declined" }))).toEqual({ kind: "not_found" });
  });

  test("one that may be it is for people, where it is not known what was there before", () => {
    expect(among({ others: [] }, movement())).toEqual(MISMATCH);
    expect(among({ others: ["ext-1"] }, movement())).toEqual({ kind: "not_found" });
    expect(among({ others: [] })).toEqual({ kind: "not_found" });
  });

  test("one without a name is it, if there was none such before", () => {
    const { externalTransactionId, ...bare } = movement();
    expect(externalTransactionId).toBe("ext-1");
    expect(among({ before: ["ext-1"], others: [] }, bare)).toMatchObject({ kind: "approved" });
    expect(among({ before: [""], others: [] }, bare)).toEqual({ kind: "not_found" });
  });

  test("one beside another that had no name before is for people: that one may have got any name since", () => {
    const { externalTransactionId, ...bare } = movement({ state: "pending" });
    expect(externalTransactionId).toBe("ext-1");
    const names = { before: [""], others: [] };
    expect(among(names, bare)).toEqual({ kind: "not_found" });
    expect(among(names, movement())).toEqual(MISMATCH);
    expect(among(names, movement({ state: "declined" }))).toEqual({ kind: "not_found" });
    expect(among(names, bare, movement())).toEqual(MISMATCH);
    expect(among({ ...names, own: "ext-1" }, movement())).toMatchObject({ kind: "approved" });
  });

  test("the acquirer's name of it is enough, and what was there before is none of it", () => {
    const names = { before: [], others: [], own: "ext-1" };
    const panel = movement({ externalTransactionId: "ext-2" });
    expect(among(names, movement(), panel)).toMatchObject({ externalTransactionId: "ext-1" });
    expect(among({ others: [], own: "ext-1" }, movement())).toMatchObject({ kind: "approved" });
    expect(among({ ...names, before: ["ext-2"] }, panel)).toEqual({ kind: "not_found" });
  });

  test("all of a kind count where a whole amount is given back, which happens once", () => {
    expect(among(undefined, movement())).toMatchObject({ kind: "approved" });
    expect(among(undefined, movement(), movement({ externalTransactionId: "ext-2" }))).toEqual(MISMATCH);
  });
});

describe("the names of an order's movements, for an attempt that comes next", () => {
  test("are those of its kind that took effect or may, each as often as it is shown", () => {
    const voided = movement({ externalTransactionId: "ext-2", state: "voided" });
    const declined = movement({ externalTransactionId: "ext-3", state: "declined" });
    const all = found(movement(), movement(), voided, declined, movement({ kind: "sale" }));
    expect(namesShown(all, "refund")).toEqual(["ext-1", "ext-1", "ext-2"]);
    expect(namesShown(found(movement({ kind: "sale" })), "refund")).toEqual([]);
  });

  test.each<InquiryOutcome>([
    { kind: "not_found" },
    { kind: "unknown", reason: "timeout" },
    { kind: "not_sent" },
  ])("are not known where the acquirer did not show its record: $kind", (inquiry) => {
    expect(namesShown(inquiry, "refund")).toBeUndefined();
  });

  test("are empty for one that has no name yet", () => {
    const { externalTransactionId, ...bare } = movement({ state: "pending" });
    expect(externalTransactionId).toBe("ext-1");
    expect(namesShown(found(bare, movement()), "refund")).toEqual(["", "ext-1"]);
    expect(namesShown(found({ ...bare, kind: "sale" }, movement()), "refund")).toEqual(["ext-1"]);
  });

  test("tell movements apart where neither our reference does, nor that an order has but one", () => {
    expect(KINDS.filter((kind) => isToldByNames(kind, NAMELESS))).toEqual(["release", "refund"]);
    expect(KINDS.filter((kind) => isToldByNames(kind, NAMED))).toEqual([]);
  });
});

describe("a void that is shown as the state of what it undid", () => {
  const undo = attempt({ kind: "void", reference: "p-1:void:o-1", targetTransactionId: "ext-1" });
  const target = (change: Partial<BankMovement> = {}) =>
    movement({ kind: "sale", ownReference: "p-1", state: "voided", ...change });
  const judged = (...movements: BankMovement[]) => judge(undo, found(...movements), NAMED);

  test("took effect, in the target's amount", () => {
    expect(judged(target({ amountMinor: 700n }))).toMatchObject({ kind: "approved", amountMinor: 700n });
  });

  test("counts before its own refusal", () => {
    const refused = movement({ kind: "void", ownReference: undo.reference, state: "declined" });
    expect(judged(target(), refused)).toMatchObject({ kind: "approved" });
    expect(judged(refused, target())).toMatchObject({ kind: "approved" });
  });

  test("did not where the target stands, is another, or is not known", () => {
    expect(judged(target({ state: "approved" }))).toEqual({ kind: "not_found" });
    expect(judged(target({ externalTransactionId: "ext-2" }))).toEqual({ kind: "not_found" });
    const { targetTransactionId, ...blind } = undo;
    expect(targetTransactionId).toBe("ext-1");
    const { externalTransactionId, ...unnamed } = target();
    expect(externalTransactionId).toBe("ext-1");
    expect(judge(blind, found(target(), unnamed), NAMED)).toEqual({ kind: "not_found" });
  });

  test("is not another void of the target's name", () => {
    expect(judged(target({ kind: "void", ownReference: "p-1:void:o-2" }))).toEqual({ kind: "not_found" });
  });

  test("says nothing of an attempt of another kind", () => {
    const refund = attempt({ targetTransactionId: "ext-1" });
    expect(judge(refund, found(target()), NAMED)).toEqual({ kind: "not_found" });
  });
});

describe("a refund of all that is shown as a void", () => {
  const VOIDING = { ownReferenceOn: [], sharesNameOn: ["refund"] } as const;
  const refund = attempt({ targetTransactionId: "A" });
  const sale = (change: Partial<BankMovement> = {}) =>
    movement({ kind: "sale", state: "voided", externalTransactionId: "A", ...change });
  const judged = (of: Partial<Attempt>, ...movements: BankMovement[]) =>
    judge({ ...refund, ...of }, found(...movements), VOIDING);
  const NOT_FOUND: Verdict = { kind: "not_found" };

  test("took effect, in the name of what was voided", () => {
    const approved = { kind: "approved", asVoid: true, amountMinor: 1_000n, externalTransactionId: "A" };
    expect(judged({}, sale())).toMatchObject(approved);
    expect(judged({ names: { ...NONE_BEFORE, own: "A" } }, sale())).toMatchObject(approved);
    const refused = movement({ state: "declined", externalTransactionId: "B" });
    expect(judged({}, sale(), refused)).toMatchObject(approved);
  });

  test("of a captured authorization is about what was captured", () => {
    const held = sale({ kind: "authorize", amountMinor: 2_000n });
    const { externalTransactionId, ...unnamed } = sale({ kind: "capture" });
    expect(externalTransactionId).toBe("A");
    expect(judged({}, held, unnamed)).toMatchObject({ asVoid: true, externalTransactionId: "A" });
    const named = sale({ kind: "capture", externalTransactionId: "B" });
    expect(judged({}, held, named)).toMatchObject({ asVoid: true, externalTransactionId: "B" });
    expect(judged({ amountMinor: 2_000n }, held, named)).toEqual(NOT_FOUND);
    expect(judged({ amountMinor: 2_000n }, held)).toEqual(NOT_FOUND);
  });

  test("is none where the void is another movement's", () => {
    expect(judged({ names: { before: [], others: ["A"] } }, sale())).toEqual(NOT_FOUND);
    expect(judged({ names: { ...NONE_BEFORE, own: "B" } }, sale())).toEqual(NOT_FOUND);
  });

  test("is none of a part, of what stands, nor of another payment", () => {
    expect(judged({ amountMinor: 999n }, sale())).toEqual(NOT_FOUND);
    expect(judged({ currency: "EUR" }, sale())).toEqual(NOT_FOUND);
    expect(judged({}, sale({ state: "approved" }))).toEqual(NOT_FOUND);
    expect(judged({}, sale({ externalTransactionId: "B" }))).toEqual(NOT_FOUND);
    expect(judged({ kind: "release" }, sale())).toEqual(NOT_FOUND);
  });

  test("is none at an acquirer that shows each refund", () => {
    expect(judge(refund, found(sale()), NAMELESS)).toEqual(NOT_FOUND);
  });

  test("comes after a refund that the acquirer shows", () => {
    const credit = movement({ externalTransactionId: "B" });
    const shown = judged({}, sale(), credit);
    expect(shown).toMatchObject({ kind: "approved", externalTransactionId: "B" });
    expect(shown).not.toHaveProperty("asVoid");
    expect(judged({}, sale(), movement({ state: "pending" }))).toEqual(PENDING);
  });
});

describe("whatever the movements of an order", () => {
  const state = fc.constantFrom<BankMovement["state"][]>(
    "approved",
    "declined",
    "voided",
    "bound",
    "expired",
    "pending",
  );
  const drawn = fc.record({
    kind: fc.constantFrom(...KINDS),
    state,
    ownReference: fc.constantFrom("r-1:refund", "r-2:refund", "p-1"),
    externalTransactionId: fc.constantFrom("ext-1", "ext-2", "ext-3", "ext-4"),
    amountMinor: fc.constantFrom(1_000n, 999n),
  });
  const movements = fc.uniqueArray(drawn.map(movement), {
    maxLength: 6,
    selector: ({ externalTransactionId }) => externalTransactionId,
  });
  const asked = fc
    .record({
      kind: fc.constantFrom<MovementKind[]>("refund", "void"),
      targetTransactionId: fc.constantFrom("ext-1", "ext-2"),
      names: fc.record({ before: fc.subarray(["ext-3"]), others: fc.subarray(["ext-4"]) }),
    })
    .map(attempt);
  const capabilities = fc.constantFrom(NAMED, NAMELESS, {
    ownReferenceOn: ["refund"],
    sharesNameOn: [],
  } as const);
  const isOurs = (
    { kind, reference, names }: Attempt,
    each: BankMovement,
    { ownReferenceOn }: { ownReferenceOn: readonly MovementKind[] },
  ) =>
    ownReferenceOn.includes(kind)
      ? each.ownReference === reference
      : each.kind === kind && ![...names!.before!, ...names!.others].includes(each.externalTransactionId!);
  const isUndone = ({ kind, targetTransactionId }: Attempt, each: BankMovement) =>
    kind === "void" &&
    each.kind !== "void" &&
    each.state === "voided" &&
    each.externalTransactionId === targetTransactionId;

  test("their order does not matter", () => {
    // Only people read the code of a shown decline when there are several.
    const shown = (verdict: Verdict) => (verdict.kind === "declined" ? { kind: "declined" } : verdict);
    const shuffled = movements.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, asked, capabilities, ([all, other], attempt, can) => {
        const [one, two] = [all, other].map((each) => shown(judge(attempt, found(...each), can)));
        expect(two).toEqual(one);
      }),
      { numRuns: 2_000 },
    );
  });

  test("money of ours that moved is never called a refusal, unknown to the acquirer or undone", () => {
    fc.assert(
      fc.property(movements, asked, capabilities, (all, attempt, can) => {
        const moved = all.filter((each) => isOurs(attempt, each, can) && each.state === "approved");
        const [{ externalTransactionId, amountMinor } = {}, another] = moved;
        const approved = { kind: "approved", externalTransactionId, amountMinor };
        const isSure = can.ownReferenceOn.includes(attempt.kind) || amountMinor === attempt.amountMinor;
        const mayDiffer = attempt.kind === "void";
        const isDoubtful = another !== undefined || !(isSure || mayDiffer);
        const expected = moved.length === 0 ? {} : isDoubtful ? MISMATCH : approved;
        expect(judge(attempt, found(...all), can)).toMatchObject(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test("those of other attempts change nothing", () => {
    fc.assert(
      fc.property(movements, asked, capabilities, (all, attempt, can) => {
        const ours = all.filter((each) => isOurs(attempt, each, can) || isUndone(attempt, each));
        expect(judge(attempt, found(...all), can)).toEqual(judge(attempt, found(...ours), can));
      }),
      { numRuns: 2_000 },
    );
  });
});
