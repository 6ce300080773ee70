import type { Step, StepName, StepOutcome } from "./walk.ts";

/** A question that only a live or a test account answers, and what the walk has seen of it. */
export type Finding = { question: string; answer: string; evidence: readonly StepName[] };

type Protocol = "nestpay" | "iyzico";
type Question = {
  protocol: Protocol;
  question: string;
  evidence: readonly StepName[];
  /** The meaning of the outcomes of the evidence's steps, in their order; absent where the walk cannot tell. */
  read?: (...outcomes: StepOutcome[]) => string;
  /** Why the walk cannot tell. */
  unseen?: string;
};

/** The open questions of a protocol, one by one, with what the walk has seen. */
export function answerOpenQuestions(protocol: Protocol, steps: readonly Step[]): Finding[] {
  return QUESTIONS.filter((each) => each.protocol === protocol).map(
    ({ question, evidence, read, unseen }) => {
      const outcomes = evidence.map((name) => steps.find((step) => step.name === name)?.outcome);
      const isSeen = outcomes.every((outcome) => outcome !== undefined);
      const answer =
        read && isSeen ? read(...outcomes) : `not seen: ${unseen ?? "the walk did not get there"}`;
      return { question, answer, evidence };
    },
  );
}

/** The adapter's understanding, in a line. */
export function shortly({ kind, ...rest }: StepOutcome): string {
  const said = ["reason", "resultCode", "resultMessage", "detail"].flatMap((name) => {
    const text = rest[name];
    return typeof text === "string" && text !== "" ? [text] : [];
  });
  return said.length === 0 ? kind : `${kind} (${said.join(", ")})`;
}

type Movement = { kind: string; state: string; amountMinor: bigint; externalTransactionId?: string };

function movements(inquiry: StepOutcome): string {
  if (inquiry.kind !== "found") return shortly(inquiry);
  const rows = (inquiry["movements"] as Movement[]).map(
    ({ kind, state, amountMinor, externalTransactionId = "no id" }) =>
      `${kind} ${state} ${amountMinor} ${externalTransactionId}`,
  );
  return rows.length === 0 ? "no movement" : rows.join("; ");
}

const LATER =
  "it shows on another day only; run the walk, and look at the order in the bank's panel tomorrow";

const QUESTIONS: readonly Question[] = [
  {
    protocol: "nestpay",
    question: "Does a voided order free its OrderId?",
    evidence: ["cancel_of_a_sale", "order_used_again_after_cancel"],
    read: (cancel, again) => `the void: ${shortly(cancel)}; the same OrderId again: ${shortly(again)}`,
  },
  {
    protocol: "nestpay",
    question: "Does a Void of its PostAuth restore the hold?",
    evidence: ["cancel_after_capture", "inquiry_after_cancel"],
    read: (cancel, after) => `the void: ${shortly(cancel)}; the order then: ${movements(after)}`,
  },
  {
    protocol: "nestpay",
    question: "Can a hold be voided after its day?",
    evidence: [],
    unseen: LATER,
  },
  {
    protocol: "nestpay",
    question: "Which TransId does the row of a captured hold have?",
    evidence: ["pre_authorization", "capture_of_a_part", "inquiry_after_capture"],
    read: (hold, capture, after) =>
      `the hold ${String(hold["externalTransactionId"])}, the capture ${String(capture["externalTransactionId"])}; the order: ${movements(after)}`,
  },
  {
    protocol: "nestpay",
    question: "Can a second call of one OrderId succeed?",
    evidence: ["second_call_of_the_order"],
    read: (again) => `one after the other: ${shortly(again)}; two at the same moment are not tried`,
  },
  {
    protocol: "nestpay",
    question: "How long after its answer is a movement first seen in the inquiry?",
    evidence: ["pre_authorization", "inquiry_after_approval"],
    read: (hold, after) =>
      `the approval with its inquiry: ${shortly(hold)}; the order directly after it: ${movements(after)}`,
  },
  {
    protocol: "nestpay",
    question: "May our server post the 3-D Secure form?",
    evidence: ["three_ds_enrolment"],
    read: (enrolment) =>
      enrolment.kind === "challenge"
        ? "yes: the gate answered with a page"
        : `the gate's answer was ${shortly(enrolment)}`,
  },
  {
    protocol: "nestpay",
    question: "How are values hashed that are not ASCII?",
    evidence: [],
    unseen: "the adapter sends ASCII only",
  },
  {
    protocol: "nestpay",
    question: "What does the inquiry say after 3-D Secure without its second step?",
    evidence: ["inquiry_after_enrolment"],
    read: (after) => movements(after),
  },
  {
    protocol: "nestpay",
    question: "What are amounts of currencies without decimals?",
    evidence: [],
    unseen: "such currencies are not offered",
  },
  {
    protocol: "iyzico",
    question: "Do two calls with the same conversationId make two payments?",
    evidence: ["second_call_of_the_order", "inquiry_after_capture"],
    read: (again, after) => `the second call: ${shortly(again)}; the order: ${movements(after)}`,
  },
  {
    protocol: "iyzico",
    question: "What does reporting answer for an id that it has not seen?",
    evidence: ["inquiry_of_unseen"],
    read: (unseen) =>
      unseen.kind === "not_found"
        ? "an empty list"
        : `no empty list: ${shortly(unseen)}; see the evidence for its code`,
  },
  {
    protocol: "iyzico",
    question: "What are phase and paidPrice of a hold, and is a smaller postauth accepted?",
    evidence: ["inquiry_after_approval", "capture_of_a_part", "inquiry_after_capture"],
    read: (held, capture, after) =>
      `the hold: ${movements(held)}; a part: ${shortly(capture)}; then: ${movements(after)}`,
  },
  {
    protocol: "iyzico",
    question: "What does a second completion of one 3-D Secure payment answer?",
    evidence: [],
    unseen: "a completion needs a browser",
  },
  {
    protocol: "iyzico",
    question: "Which HTTP status do failures have?",
    evidence: ["wrong_password"],
    read: (refused) => `the wrong key: ${shortly(refused)}; the evidence has the status`,
  },
  {
    protocol: "iyzico",
    question: "Is the commission column of the settlement file a rate or an amount?",
    evidence: [],
    unseen: "it needs the settlement file of a day with payments",
  },
  {
    protocol: "iyzico",
    question: "What does the signature of a refund's answer cover?",
    evidence: ["partial_refund"],
    read: (refund) => `the refund: ${shortly(refund)}; the evidence has the fields of its answer`,
  },
];
