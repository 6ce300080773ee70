import type { Receipt } from "./receiver.ts";

/** The printed form of a webhook: its subject, or the reason why it is not authentic. */
export function describeReceipt({ received, verdict, repeated, forwarded }: Receipt, now: Date): string {
  const at = now.toISOString().slice(11, 23);
  const answer = forwarded
    ? `    your server: ${printable(String(forwarded.status ?? forwarded.error))}\n`
    : "";
  if (!verdict.valid)
    return `${at}  NOT AUTHENTIC  ${verdict.reason}: ${printable(verdict.detail)}\n${answer}`;
  const age = now.getTime() - verdict.requestTime;
  const head = `${at}  verified  ${printable(verdict.eventType ?? "?")}  ${printable(verdict.eventId ?? "?")}`;
  const notes = `signed ${age} ms ago${repeated ? ", a duplicate: nothing to do" : ""}`;
  return `${head}  (${notes})\n${indent(received.body)}\n${answer}`;
}

function indent(body: Uint8Array): string {
  const text = Buffer.from(body).toString();
  try {
    return JSON.stringify(JSON.parse(text), null, 2).replace(/^/gm, "    ");
  } catch {
    return `    ${printable(text)}`;
  }
}

/** Keeps a stranger's text from steering the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, "\uFFFD");
}
