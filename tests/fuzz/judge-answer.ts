import { problemSchema } from "@holdfast/contracts";
import type { WireAnswer } from "./exchange-bytes.ts";
import type { FuzzRequest } from "./requests.ts";

/**
 * The parts of a request that its answer is judged by: its kind, the document's answers, and its bytes with the card.
 */
export type JudgedRequest = Pick<FuzzRequest, "kind" | "answers" | "bytes">;

/**
 * Lists an answer's faults while nothing is wrong in the system. A success has the body that the document gives for its
 * status, an error is a whole problem, and neither shows the request's card.
 */
export function faultsOf(answer: WireAnswer, request: JudgedRequest): string[] {
  const { status } = answer;
  return [
    ...(status >= 200 && status < 500 ? [] : [`status ${status}`]),
    ...(status >= 400 ? faultsOfError(answer) : faultsOfSuccess(answer, request)),
    ...(request.kind === "from the document" && !request.answers.has(status) && !UNLISTED.has(status)
      ? [`status ${status} is not in the document`]
      : []),
    ...(showsCardOf(request, answer) ? [`the request's card number is in the answer: ${answer.body}`] : []),
  ];
}

/** Statuses from the HTTP server, the router and the limits, for any operation alike. */
const UNLISTED: ReadonlySet<number> = new Set([400, 404, 405, 429, 431]);

function faultsOfError({ status, contentType, body }: WireAnswer): string[] {
  const problem = problemSchema.safeParse(jsonOf(body));
  return [
    ...(contentType === "application/problem+json" ? [] : [`an error with the content type ${contentType}`]),
    ...(problem.success ? [] : [`the body of an error is not a problem: ${body}`]),
    ...(problem.success && problem.data.status !== status
      ? [`the body of status ${status} has the status ${problem.data.status}`]
      : []),
  ];
}

/** Judges the bodies of requests from the document only: bent bytes may have become any operation. */
function faultsOfSuccess(
  { status, contentType, body }: WireAnswer,
  { kind, answers }: JudgedRequest,
): string[] {
  if (kind !== "from the document" || !answers.has(status)) return [];
  const schema = answers.get(status);
  if (!schema) return body === "" ? [] : [`status ${status} has a body: ${body}`];
  if (contentType !== "application/json") return [`a success with the content type ${contentType}`];
  const parsed = schema.safeParse(jsonOf(body));
  if (parsed.success) return [];
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.join(".") || "the body"}: ${message}`,
  );
  return [`the body differs from the document, ${issues.join("; ")}: ${body}`];
}

/** True if an answer has the card number as it was written, or only its digits. */
function showsCardOf({ bytes }: JudgedRequest, { body }: WireAnswer): boolean {
  const written = /"pan"\s*:\s*"?([^",}]*)/.exec(bytes.toString("utf8"))?.[1] ?? "";
  const digits = written.replaceAll(/\D/g, "");
  if (digits.length < PAN_LENGTH_MIN) return false;
  return body.includes(written) || body.replaceAll(/(?<=\d)[ -](?=\d)/g, "").includes(digits);
}

/** ISO/IEC 7812 has card numbers of 12 to 19 digits; shorter ones may occur in an answer by chance. */
const PAN_LENGTH_MIN = 12;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
