import type { Problem, ProblemCode } from "@holdfast/contracts";
import type { Language } from "@holdfast/html";
import { faultText } from "./field-faults.ts";
import type { FieldFault, Notice, PageContext, Reader } from "./page-context.ts";
import { DETAILS_SAID, PROBLEMS_TURKISH } from "./problem-texts-tr.ts";

/** The meaning of a problem in the reader's language. */
export function problemTitle({ language }: Reader, { code, title }: Pick<Problem, "code" | "title">): string {
  return IN_OTHER_LANGUAGES[language]?.[code] ?? title;
}

/**
 * The problem's sentence, with the gateway's other statements about the request and its text for each field.
 */
export function problemText(reader: Reader, problem: Problem): string {
  const { errors = [] } = problem;
  return paragraphOf([...saidOf(reader, problem), ...errors.map((fault) => namedFault(reader, fault))]);
}

/** Says why the gateway did nothing, and stores the faults of its answer for their fields. */
export function refusalNotice(context: PageContext, problem: Problem): Notice {
  const { reader } = context;
  const faults = (problem.errors ?? []).map((fault): FieldFault => ({ ...fault }));
  const field = FIELDS[problem.code];
  const ofField = field === undefined ? [] : [{ field, message: problemTitle(reader, problem) }];
  context.faults = [...(context.faults ?? []), ...faults, ...ofField];
  return noticeOf(reader, faults, saidOf(reader, problem));
}

/** Says that nothing was done for faults that the console itself has found, and leaves them for their fields. */
export function faultsNotice(context: PageContext, faults: readonly FieldFault[]): Notice {
  context.faults = faults;
  return noticeOf(context.reader, faults, []);
}

/**
 * The notice refers to the faults beside their fields, and names all others. Its text is read after the page
 * was written, since only the page knows its fields.
 */
function noticeOf(reader: Reader, faults: readonly FieldFault[], said: readonly string[]): Notice {
  const { notDone, seeFields } = reader.texts;
  return {
    role: "alert",
    title: notDone,
    get text() {
      const others = faults.filter(({ isShown }) => isShown !== true);
      const first = others.length < faults.length ? [seeFields] : said;
      return paragraphOf([...first, ...others.map((fault) => namedFault(reader, fault))]);
    },
  };
}

/** The problems that one field alone can cause, as a request names it. */
const FIELDS: Partial<Record<ProblemCode, string>> = {
  refund_amount_exceeds_remaining: "amount",
  capture_amount_exceeds_authorized: "amount",
  webhook_url_in_use: "url",
  settlement_already_taken: "file",
  payload_too_large: "file",
};

/** The title, and the detail where it says more. */
function saidOf(reader: Reader, problem: Problem): string[] {
  const { code, detail, title } = problem;
  const isSaid = IN_OTHER_LANGUAGES[reader.language] !== undefined && DETAILS_SAID.has(code);
  const more = detail === undefined || detail === title || isSaid ? [] : [detail];
  const next = code === "changed_since_read" ? [reader.texts.compareFirst] : [];
  return [problemTitle(reader, problem), ...more, ...next];
}

/** A sentence of the console's own names its field itself. */
function namedFault(reader: Reader, fault: FieldFault): string {
  return fault.code === undefined ? fault.message : `${fault.field}: ${faultText(reader, fault)}`;
}

function paragraphOf(sentences: readonly string[]): string {
  return [...new Set(sentences)].map((sentence) => sentence.replace(/\.?$/, ".")).join(" ");
}

const IN_OTHER_LANGUAGES: Partial<Record<Language, Record<ProblemCode, string>>> = { tr: PROBLEMS_TURKISH };
