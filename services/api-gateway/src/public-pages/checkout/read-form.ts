import { isForm, readBody } from "../../http/read-body.ts";
import { Refusal } from "../../http/refusal.ts";
import { formSource, type BodyLimit } from "../../limits/body-limit.ts";
import { answerScript, goTo, unreadable, type Visit } from "./answer-visit.ts";
import type { FormTokens } from "./form-token.ts";

/** `bodies` bounds the forms that arrive at the same time. */
export type FormDeps = { bodies: BodyLimit; tokens: FormTokens };

/** A form of ours; undefined when the visit has been answered otherwise. */
export async function readForm(deps: FormDeps, visit: Visit): Promise<URLSearchParams | undefined> {
  const { exchange, checkoutId, path, asked } = visit;
  const body = await readBody(exchange, formSource(deps.bodies, exchange), isForm);
  if (body instanceof Refusal) {
    unreadable(visit, body);
    return undefined;
  }
  const form = new URLSearchParams(body.toString("utf8"));
  const paymentId = form.get("paymentId") ?? "";
  if (UUID.test(paymentId) && deps.tokens.verify({ checkoutId, paymentId }, form.get("token") ?? ""))
    return form;
  if (asked.byScript) answerScript(visit, { faults: ["form.stale"] });
  else goTo(visit, `${path}?lang=${asked.locale.language}&faults=form.stale`);
  return undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
