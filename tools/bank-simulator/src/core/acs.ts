import type { IncomingMessage, ServerResponse } from "node:http";

import { escapeHtml, htmlPage, replyPage } from "./html-page.ts";
import { hiddenInputs, issuerPage, messagePage, RIGHT_CODE } from "./issuer-pages.ts";
import { readBody } from "./read-body.ts";
import { replyTooLarge } from "./reply.ts";

/** The cardholder's action on the issuer's page. */
export type CardholderAnswer = "right_code" | "wrong_code" | "cancelled";

/** The browser's way on from the issuer's page, and the fields that it takes along. */
export type Way = {
  method: "post" | "get";
  url: string;
  fields: readonly (readonly [string, string])[];
  /** The encoding in which the browser posts the fields; without it UTF-8. */
  charset?: string;
};

/** A cardholder's authentication, as the issuer's pages see it. */
export type AcsSession = {
  id: string;
  /** The amount and the payee, as the page shows them. */
  paying: string;
  /** True until the cardholder has answered. */
  isOpen: boolean;
  /** True if the cardholder's time has run out. */
  isTooLate: (nowMs: number) => boolean;
  /** The answer of a cardholder who is not asked, such as one without a challenge. */
  unasked?: CardholderAnswer | undefined;
  /** Takes the answer. It is called once: a second answer changes nothing. */
  answer: (answer: CardholderAnswer) => Promise<void> | void;
  /** The way back to the merchant, the same for every request. */
  back: (isCancelled: boolean, request: IncomingMessage) => Promise<Way> | Way;
};

/** The address at which the issuer's page is, below the bank's public URL. A challenge leads the browser there. */
export const CHALLENGE_PATH = "/acs/challenge";
const ANSWER_PATH = "/acs/answer";

export type AcsOptions = {
  find: (id: string) => AcsSession | undefined;
  now: () => number;
  publicUrlOf: (request: IncomingMessage) => string;
};

/** Serves the issuer's pages of every protocol. @returns false for any other path. */
export async function routeAcs(
  options: AcsOptions,
  target: string,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const isAnswer = target === `POST ${ANSWER_PATH}`;
  if (!isAnswer && target !== `GET ${CHALLENGE_PATH}` && target !== `POST ${CHALLENGE_PATH}`) return false;
  const form = request.method === "GET" ? new URLSearchParams(query) : await formOf(request, response);
  if (form) await serve(options, form, isAnswer, request, response);
  return true;
}

/** A page that takes the browser on: its script sends the form, and the button where there are no scripts. */
function goOnPage(title: string, button: string, { url, fields, charset }: Omit<Way, "method">): string {
  return htmlPage(
    title,
    `<form id="next" method="post" action="${escapeHtml(url)}"${charset ? ` accept-charset="${charset}"` : ""}>
${hiddenInputs(fields)}  <p><button>${escapeHtml(button)}</button></p>
</form>
<script>document.getElementById("next").submit()</script>`,
  );
}

/** The bank's own page that leads to the issuer's. */
export function pageToChallenge(publicUrl: string, session: string): string {
  const fields = [["session", session]] as const;
  return goOnPage("To your bank", "Continue", { url: `${publicUrl}${CHALLENGE_PATH}`, fields });
}

/**
 * The issuer's page, which a bank may also send by itself. Its form has a whole address: a merchant's server may show it
 * under an address of its own.
 */
export function challengePage({ id, paying }: Pick<AcsSession, "id" | "paying">, publicUrl: string): string {
  return issuerPage({ paying, action: `${publicUrl}${ANSWER_PATH}`, fields: [["session", id]] });
}

/** The page that sends the browser back to the merchant by POST. */
export function returnPage(way: Omit<Way, "method">): string {
  return goOnPage("Back to the shop", "Back to the shop", way);
}

async function serve(
  { find, now, publicUrlOf }: AcsOptions,
  form: URLSearchParams,
  isAnswer: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const session = find(form.get("session") ?? "");
  if (!session) return replyPage(response, 404, messagePage("Your bank does not know this payment."));
  if (session.isOpen && session.isTooLate(now())) {
    return replyPage(response, 410, messagePage("The time for this payment has run out."));
  }
  const answer = isAnswer ? answerOf(form) : session.unasked;
  if (session.isOpen && answer === undefined) {
    return replyPage(response, 200, challengePage(session, publicUrlOf(request)));
  }
  if (session.isOpen && answer !== undefined) await session.answer(answer);
  goBack(response, await session.back(answer === "cancelled", request));
}

function goBack(response: ServerResponse, way: Way): void {
  if (way.method === "post") return replyPage(response, 200, returnPage(way));
  const back = new URL(way.url);
  for (const [name, value] of way.fields) back.searchParams.set(name, value);
  response.writeHead(303, { location: back.href, "content-length": 0 });
  response.end();
}

function answerOf(form: URLSearchParams): CardholderAnswer {
  if (form.get("answer") === "cancel") return "cancelled";
  return form.get("code") === RIGHT_CODE ? "right_code" : "wrong_code";
}

async function formOf(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<URLSearchParams | undefined> {
  const body = await readBody(request);
  if (body.kind === "read") return new URLSearchParams(body.text);
  replyTooLarge(response);
  return undefined;
}
