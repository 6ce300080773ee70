// oxlint-disable max-lines -- a table reads best in one piece
import type { Mutation } from "./mutations.ts";

const payments = "services/payments/src";
const gateway = "services/api-gateway/src/three-ds";
const queries = `${payments}/three-ds/session-queries.ts`;
const completing = scenarios(`${payments}/three-ds/three-ds.service.test.ts`);
const recovering = scenarios(`${payments}/three-ds/three-ds-recovery.service.test.ts`);
const killing = scenarios("services/payments/test/three-ds-kill.fault.test.ts");
const visiting = scenarios(`${gateway}/three-ds-pages.service.test.ts`);

function scenarios(file: string) {
  return (test: string) => ({ file, test, inCopy: true });
}

function change(file: string, search: string, replace = "") {
  return [{ file, search, replace }];
}

/** Each protection of 3-D Secure, taken out once. */
export const THREE_DS_MUTATIONS: readonly Mutation[] = [
  {
    name: "3ds: a return completes whatever the payment's state is",
    changes: [
      ...change(queries, `        and state = \${from} and coalesce(lease_until, '-infinity') < now()\n`),
      ...change(
        queries,
        `const to = transition(from, "AUTHORIZING");\n  const { rows }`,
        `const to = "AUTHORIZING";\n  const { rows }`,
      ),
    ],
    scenario: completing("replayed after the end"),
  },
  {
    name: "3ds: a return takes a payment that somebody works on",
    changes: change(queries, ` and coalesce(lease_until, '-infinity') < now()`),
    scenario: completing("waits while recovery"),
  },
  {
    name: "3ds: a return after the session's end completes",
    changes: change(queries, ` and expires_at > now()\n        and state`, `\n        and state`),
    scenario: completing("too late changes nothing"),
  },
  {
    name: "3ds: the session of a return is not compared",
    changes: [
      ...change(
        queries,
        `        and session_id = \${sessionId} and expires_at`,
        `        and \${sessionId}::uuid is not null and expires_at`,
      ),
      ...change(queries, `(query) => query.where("session.session_id", "=", sessionId!)`, `(query) => query`),
    ],
    scenario: completing("of another session"),
  },
  {
    name: "3ds: the acquirer's session that came back is not compared",
    changes: change(
      `${payments}/three-ds/complete-payment.ts`,
      `if (acquirerSession !== undefined && acquirerSession !== session) return NOT_FOUND;`,
      `void acquirerSession;`,
    ),
    scenario: completing("with another acquirer's session"),
  },
  {
    name: "3ds: reading a payment asks about its challenge",
    changes: [
      ...change(
        `${payments}/payment/payment.ts`,
        `      return true;\n    case "ENROLLED":`,
        `    case "ENROLLED":\n      return true;`,
      ),
      ...change(
        `${payments}/payment/payment-lease.ts`,
        `\n              and (state <> 'ENROLLED' or recovery_from <= now())`,
      ),
    ],
    scenario: completing("asks nobody"),
  },
  {
    name: "3ds: a frictionless card is authorized past the deadline",
    changes: change(
      `${payments}/three-ds/enrol-payment.ts`,
      `if (deps.now() > deadlineAt) {`,
      `if (deadlineAt < 0) {`,
    ),
    scenario: completing("answered too late without a challenge"),
  },
  {
    name: "3ds: an enrolment is sent past the deadline",
    changes: change(
      `${payments}/three-ds/enrol-payment.ts`,
      `if (deps.now() > context.deadlineAt)`,
      `if (context.deadlineAt < 0)`,
    ),
    scenario: completing("claimed too late"),
  },
  {
    name: "3ds: the URLs are no part of a key's request",
    changes: change(
      `${payments}/three-ds/enrol-payment.ts`,
      `[transactionType, successUrl, failureUrl]`,
      `[transactionType]`,
    ),
    scenario: completing("another return URL"),
  },
  {
    name: "3ds: an enrolment whose answer is lost counts as declined",
    changes: change(
      `${payments}/three-ds/enrolment-outcome.ts`,
      `return { to: "REVERSING", cause: outcome.reason };`,
      `return decideAuthorization({ kind: "not_sent" }) as never;`,
    ),
    scenario: recovering("is ENROLLED without a challenge, is reversed"),
  },
  {
    name: "3ds: a completion that was not sent counts as not authorized",
    changes: change(
      `${payments}/three-ds/enrolment-outcome.ts`,
      `return outcome.kind === "not_sent"`,
      `return (outcome.kind as string) === ""`,
    ),
    scenario: recovering("the completion is unknown"),
  },
  {
    name: "3ds: CANCELLED without a reversal",
    changes: change(
      `${payments}/recovery/decide-recovery.ts`,
      `? { action: "reverse", cause: "not_found" }`,
      `? { action: "settle", to: asked.abandoned ? "CANCELLED" : "FAILED", cause: "not_found", result: REVERSED }`,
    ),
    scenario: recovering("bound its reference"),
  },
  {
    name: "3ds: an abandoned session is cancelled unasked",
    changes: change(
      `${payments}/recovery/recover-payment.ts`,
      `if (payment.state === "ENROLLING") return`,
      `if (payment.state === "ENROLLING" || payment.state === "ENROLLED") return`,
    ),
    scenario: recovering("approved by itself"),
  },
  {
    name: "3ds: age counts from the claim",
    changes: change(
      `${payments}/payment/payment-lease.ts`,
      `coalesce(recovery_from, created_at)`,
      `created_at`,
    ),
    scenario: recovering("counts its age"),
  },
  {
    name: "3ds: recovery waits for an enrolment that nobody will finish",
    changes: change(
      `${payments}/recovery/recover-payment.ts`,
      `  if (payment.state === "ENROLLING") return await decideAgainst(deps, payment, "enrolment_unfinished");\n`,
    ),
    scenario: killing("payments.after_enrolment_claim"),
  },
  {
    name: "3ds: the return goes by its own, not by the lease",
    changes: [
      ...change(queries, `        and state = \${from} and coalesce(lease_until, '-infinity') < now()\n`),
      ...change(
        queries,
        `const to = transition(from, "AUTHORIZING");\n  const { rows }`,
        `const to = "AUTHORIZING";\n  const { rows }`,
      ),
    ],
    scenario: killing("twenty times"),
  },
  {
    name: "3ds: a state's signature is not compared",
    changes: change(
      `${gateway}/signed-session.ts`,
      `if (!timingSafeEqual(`,
      `if (expected.length === 0 && !timingSafeEqual(`,
    ),
    scenario: visiting("forged, cut"),
  },
  {
    name: "3ds: one signature for both pages",
    changes: change(
      `${gateway}/signed-session.ts`,
      "`3ds ${purpose}\\n${payload}`",
      "`3ds ${purpose.slice(0, 0)}\\n${payload}`",
    ),
    scenario: visiting("does not end anything"),
  },
  {
    name: "3ds: a state never expires",
    changes: change(
      `${gateway}/signed-session.ts`,
      `if (now >= bytes.readUIntBE(32, 6) + lifetimeMs)`,
      `if (now < lifetimeMs)`,
    ),
    scenario: visiting("older than its lifetime"),
  },
  {
    name: "3ds: a preview of the link completes the payment",
    changes: change(
      `${gateway}/three-ds-pages.ts`,
      `if (!page.methods.includes(request.method ?? "")) {`,
      `if (!page.methods.includes(request.method ?? "") && request.method !== "HEAD") {`,
    ),
    scenario: visiting("previews links"),
  },
  {
    name: "3ds: an unknown outcome goes to the shop",
    changes: change(
      `${gateway}/three-ds-pages.ts`,
      `return answerNotice(exchange, 200, "waiting", { language, refreshUrl: visit.path });`,
      `return exchange.answer(303, { ...REDIRECT_HEADERS, Location: backToShop(reply.result) }, "");`,
    ),
    scenario: visiting("an outcome nobody knows"),
  },
  {
    name: "3ds: return URLs are not looked at",
    changes: change(
      "packages/contracts/src/http/return-url.ts",
      `.refine(isReturnUrl,`,
      `.refine(() => isReturnUrl !== undefined,`,
    ),
    scenario: visiting("refuses a bad"),
  },
];
