import type { z } from "zod";
import type {
  Acquirer,
  AcquirerAmount,
  AcquirerOutcome,
  CardRequest,
  CompletionOutcome,
  CompletionRequest,
  EnrolmentOutcome,
  EnrolmentRequest,
  FollowUpRequest,
  InquiryOutcome,
  InquiryRequest,
  NotGenuine,
  NotSent,
  ReturnCheck,
  ReversalOutcome,
  ReversalRequest,
  Unknown,
  Capabilities,
  Repetition,
} from "@holdfast/acquirer";
import {
  BoundedHttpClient,
  INVALID_ANSWER,
  MISMATCH,
  notGenuine,
  PENDING,
  readJson,
  type BoundedHttpClientOptions,
  type HttpExchange,
} from "@holdfast/acquirer/kit";
import {
  completionAnswer,
  enrolmentAnswer,
  inquiryAnswer,
  operationAnswer,
  reversalAnswer,
} from "./simulator-answers.ts";
import { approved, declined, EXPIRED, movementOf } from "./simulator-outcomes.ts";

export type SimulatorAcquirerOptions = BoundedHttpClientOptions & {
  /** The simulator's treatment of a repeat; its own default where absent. */
  repetition?: Repetition;
  /** Takes a challenge at an http:// address elsewhere, too. */
  allowPlaintext?: boolean;
};

/**
 * The acquirer simulator over HTTP; the protocol is in `tools/bank-simulator/src/protocols/sim/README.md`.
 * Only the request's body has the card: no outcome and no error names any part of it.
 * @throws immediately for an invalid URL; a call rejects with RangeError for an amount that no JSON number
 * can represent
 */
export function createSimulatorAcquirer(options: SimulatorAcquirerOptions): Acquirer {
  const client = new BoundedHttpClient(options);
  const enrolmentSchema = enrolmentAnswer({ allowPlaintext: options.allowPlaintext === true });
  return {
    capabilities: simulatorCapabilities(options.repetition ?? "replay"),
    authorize: (request) => payByCard(client, "/v1/authorize", request),
    sale: (request) => payByCard(client, "/v1/sale", request),
    capture: (request) => followUp(client, "/v1/capture", request),
    cancel: (request) => followUp(client, "/v1/cancel", request),
    release: (request) => followUp(client, "/v1/release", request),
    refund: (request) => followUp(client, "/v1/refund", request),
    reverse: (request) => reverse(client, request),
    enrol: (request) => enrol(client, request, enrolmentSchema),
    complete: (request) => complete(client, request),
    checkReturn: namesOtherSession,
    inquire: (request) => inquire(client, request),
    close: () => client.close(),
  };
}

/** The capabilities of our own simulator. */
export function simulatorCapabilities(repetition: Repetition): Capabilities {
  return {
    repetition,
    ownReferenceOn: ["authorize", "sale", "capture", "void", "release", "refund"],
    sharesNameOn: [],
    release: true,
  };
}

async function payByCard(
  client: BoundedHttpClient,
  path: string,
  request: CardRequest,
): Promise<AcquirerOutcome> {
  const body = JSON.stringify(cardBody(request));
  return readOutcome(await client.exchange({ method: "POST", path, body }, request.expiresAt), request);
}

async function followUp(
  client: BoundedHttpClient,
  path: string,
  request: FollowUpRequest,
): Promise<AcquirerOutcome> {
  const body = JSON.stringify({ ...commonBody(request), parentReference: request.parentReference });
  return readOutcome(await client.exchange({ method: "POST", path, body }, request.waitUntil), request);
}

async function reverse(client: BoundedHttpClient, request: ReversalRequest): Promise<ReversalOutcome> {
  const body = JSON.stringify(commonBody(request));
  const exchange = await client.exchange({ method: "POST", path: "/v1/reverse", body }, request.waitUntil);
  const read = readAnswer(exchange, reversalAnswer);
  if (read.kind !== "read") return read;
  if (!isAbout(read.answer, request)) return MISMATCH;
  const { outcome, resultCode, resultMessage } = read.answer;
  switch (outcome) {
    case "reversed":
      return { kind: "reversed" };
    case "not_found":
      return { kind: "nothing_found" };
    default:
      return { kind: outcome, resultCode, resultMessage };
  }
}

async function enrol(
  client: BoundedHttpClient,
  request: EnrolmentRequest,
  schema: ReturnType<typeof enrolmentAnswer>,
): Promise<EnrolmentOutcome> {
  const { operation, returnUrl, sessionExpiresAt } = request;
  const body = JSON.stringify({ ...cardBody(request), operation, returnUrl, sessionExpiresAt });
  const exchange = await client.exchange({ method: "POST", path: "/v1/3ds/enrol", body }, request.expiresAt);
  const read = readAnswer(exchange, schema);
  if (read.kind !== "read") return read;
  const { answer } = read;
  if (!isAbout(answer, request)) return MISMATCH;
  switch (answer.outcome) {
    case "challenge":
      return {
        kind: "challenge",
        session: answer.session,
        challenge: { type: "post", url: answer.url, fields: answer.fields },
      };
    case "challenge_page": {
      const { session, html } = answer;
      return { kind: "challenge", session, challenge: { type: "html", html } };
    }
    case "authenticated":
      return { kind: "authenticated", session: answer.session, authentication: answer.authentication };
    case "declined":
      return declined(answer);
    case "expired":
      return EXPIRED;
    default:
      return answer satisfies never;
  }
}

async function complete(client: BoundedHttpClient, request: CompletionRequest): Promise<CompletionOutcome> {
  const { operation, session, returned } = request;
  const body = JSON.stringify({ ...commonBody(request), operation, session, returned: returned?.fields });
  const exchange = await client.exchange(
    { method: "POST", path: "/v1/3ds/complete", body },
    request.expiresAt,
  );
  const read = readAnswer(exchange, completionAnswer);
  if (read.kind !== "read") return read;
  const { answer } = read;
  if (!isAbout(answer, request)) return mismatchOf(answer, request);
  if (answer.outcome === "expired") return EXPIRED;
  if (answer.outcome === "pending") return PENDING;
  if (answer.outcome === "not_genuine") return notGenuine("no_signature");
  return answer.outcome === "approved" ? approved(answer) : declined(answer);
}

/** The browser brings the session. Only the simulator knows whether its holder has answered the challenge. */
function namesOtherSession({ session, returned }: ReturnCheck): NotGenuine | undefined {
  const isOther = returned?.fields.some(([name, value]) => name === "session" && value !== session);
  return isOther ? notGenuine("other_order") : undefined;
}

/** The simulator answers for one reference, so there is one movement at most. */
async function inquire(client: BoundedHttpClient, request: InquiryRequest): Promise<InquiryOutcome> {
  // A reference has no character that needs escaping in a path.
  const path = `/v1/operations/${request.reference}`;
  const read = readAnswer(await client.exchange({ method: "GET", path }, request.waitUntil), inquiryAnswer);
  if (read.kind !== "read") return read;
  if (read.answer.reference !== request.reference) return MISMATCH;
  const movement = movementOf(read.answer, request);
  return movement ? { kind: "found", movements: [movement] } : { kind: "not_found" };
}

function readOutcome(
  exchange: HttpExchange,
  request: { reference: string } & AcquirerAmount,
): AcquirerOutcome {
  const read = readAnswer(exchange, operationAnswer);
  if (read.kind !== "read") return read;
  if (!isAbout(read.answer, request)) return mismatchOf(read.answer, request);
  if (read.answer.outcome === "expired") return EXPIRED;
  if (read.answer.outcome === "pending") return PENDING;
  return read.answer.outcome === "approved" ? approved(read.answer) : declined(read.answer);
}

/**
 * Reads an answer. Only a 200 with a body of the protocol decides about the money. A 4xx is our own mistake
 * or another server's answer, and neither proves that nothing happened.
 */
function readAnswer<Schema extends z.ZodType>(
  exchange: HttpExchange,
  schema: Schema,
): { kind: "read"; answer: z.output<Schema> } | Unknown | NotSent {
  if (exchange.kind !== "answered") return exchange;
  if (exchange.status !== 200) return INVALID_ANSWER;
  const parsed = schema.safeParse(readJson(exchange.bytes, "as_numbers"));
  return parsed.success ? { kind: "read", answer: parsed.data } : INVALID_ANSWER;
}

/** An approval of our call in another amount is an approval all the same. */
function mismatchOf(
  answer: z.output<typeof operationAnswer | typeof completionAnswer>,
  { reference }: { reference: string },
): Unknown {
  return answer.outcome === "approved" && answer.reference === reference
    ? { ...MISMATCH, heard: approved(answer) }
    : MISMATCH;
}

function isAbout(
  answer: { reference: string } & AcquirerAmount,
  request: { reference: string } & AcquirerAmount,
) {
  return (
    answer.reference === request.reference &&
    answer.amountMinor === request.amountMinor &&
    answer.currency === request.currency
  );
}

/** The body of a call that brings a card. */
function cardBody(request: CardRequest) {
  const { pan, expiryMonth, expiryYear, cvv } = request.card;
  return {
    ...commonBody(request),
    card: { pan, expiryMonth, expiryYear, cvv },
    cardHolderName: request.cardHolderName,
    installmentCount: request.installmentCount,
    loyaltyCode: request.loyaltyCode,
  };
}

/** The common fields of a call, with `expiresAt` if the request has one. */
function commonBody(request: { reference: string; expiresAt?: Date } & AcquirerAmount) {
  const amountMinor = Number(request.amountMinor);
  if (!Number.isSafeInteger(amountMinor)) throw new RangeError("the amount is too large for a JSON number");
  return {
    reference: request.reference,
    amountMinor,
    currency: request.currency,
    ...(request.expiresAt && { expiresAt: request.expiresAt }),
  };
}
