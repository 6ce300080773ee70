/**
 * The hosted checkout on the public listener: one page for each checkout in any state, and the requests of
 * its form. Buyers do not sign in; anybody who knows a checkout's id may see and pay it. Card data comes in
 * the body of one POST, is sealed as on the merchant API, and is in no answer: a form that is shown again is
 * empty.
 */
import { randomUUIDv7 } from "node:crypto";
import {
  binSchema,
  cancelCheckout,
  inspectCheckoutCard,
  isLive,
  viewCheckout,
  type CheckoutPage,
} from "@holdfast/contracts";
import { Router } from "express";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../../database.ts";
import { requestHandler } from "../../http/routed-request.ts";
import { findPayee } from "../../merchant/find-payee.ts";
import { checkoutUrl } from "../public-url.ts";
import { visitHandler, visitWithPermit, type VisitDeps } from "./handle-visit.ts";
import { ASSET_HEADERS } from "./page-assets.ts";
import { generateNonce, pageHeaders } from "./page-headers.ts";
import type { FilledForm, FormAnswer } from "./pay-by-form.ts";
import {
  isUnderWay,
  renderClosed,
  renderLinkState,
  renderWaiting,
  type ShownCheckout,
} from "./render-checkout.ts";
import { faultsOf, installmentChoices, pricedOf, pricedQuery, renderForm } from "./render-form.ts";
import { renderPage } from "./render-page.ts";
import type { SendPageCommand } from "../../bus/send-command.ts";
import { shopUrlOfCheckout } from "../shop-url.ts";
import { answerScript, goTo, notFound, trouble, type Visit } from "./answer-visit.ts";
import { readForm, type FormDeps } from "./read-form.ts";

export type CheckoutPagesDeps = VisitDeps & {
  payByForm: (filled: FilledForm) => Promise<FormAnswer>;
  sendPage: SendPageCommand;
  db: Kysely<GatewayDatabase>;
  forms: FormDeps;
};

export function checkoutPages(deps: CheckoutPagesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const on = (method: "get" | "post", path: string, handle: (visit: Visit) => Promise<void>) =>
    router[method](
      `/checkout/:checkoutId${path}`,
      visitHandler(deps, { ...CHECKOUT, route: `/checkout/{checkoutId}${path}`, handle }),
    );
  for (const asset of Object.values(deps.assets)) {
    const sendAsset = requestHandler((_request, exchange) => {
      exchange.route = "/checkout/assets";
      exchange.answer(200, { "Content-Type": asset.mediaType, ...ASSET_HEADERS }, asset.body);
    });
    router.get(asset.path, sendAsset);
  }
  on("get", "", (visit) => visitWithPermit(deps, visit, "read", () => showCheckout(deps, visit)));
  on("get", "/state", (visit) => visitWithPermit(deps, visit, "read", () => answerState(deps, visit)));
  on("post", "/card", (visit) => answerCard(deps, visit));
  on("post", "/pay", (visit) => pay(deps, visit));
  on("post", "/cancel", (visit) => cancel(deps, visit));
  return router;
}

const CHECKOUT = {
  idOf: (params: unknown) => viewCheckout.request.safeParse(params).data?.checkoutId,
  urlOf: checkoutUrl,
  isLimitedById: true,
};

async function showCheckout(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const checkout = await look(deps, visit);
  if (!checkout) return;
  const merchant = await findPayee(deps.db, checkout.merchantId);
  if (!merchant) throw new Error("a checkout's merchant does not exist");
  const { asked, path, exchange } = visit;
  const shown: ShownCheckout = { checkout, merchantName: merchant.name, locale: asked.locale, path };
  const nonce = generateNonce();
  const { name: merchantName, branding } = merchant;
  const isTest = !isLive(merchant.merchantId);
  const frame = { assets: deps.assets, locale: asked.locale, nonce, path, merchantName, branding, isTest };
  const send = (body: string) => exchange.answer(200, pageHeaders(nonce, visit.reportsPath), body);

  if (isUnderWay(checkout)) return send(renderPage(frame, renderWaiting(shown), { refreshSeconds: 5 }));
  if (checkout.status !== "OPEN") {
    const url = shopUrlOfCheckout(checkout);
    // A buyer whose payment failed stays on the page to read why.
    const isOver =
      checkout.status === "COMPLETED" || (checkout.status === "CANCELLED" && checkout.attemptsLeft > 0);
    return send(renderPage(frame, renderClosed(shown, url), { onwardUrl: isOver ? url : undefined }));
  }
  if (checkout.linkIs) return send(renderPage(frame, renderLinkState(shown, checkout.linkIs)));
  const paymentId = randomUUIDv7();
  const form = {
    paymentId,
    token: deps.forms.tokens.issue({ checkoutId: visit.checkoutId, paymentId }),
    faults: faultsOf(asked.query),
    priced: pricedOf(asked.query),
  };
  send(renderPage(frame, renderForm(shown, form), { withCardForm: true }));
}

/** Answers the page's script while it waits. */
async function answerState(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const checkout = await look(deps, visit);
  if (checkout) answerScript(visit, { isUnderWay: isUnderWay(checkout) });
}

/** Looks up a card's first digits. They come in the body, since addresses are logged. */
async function answerCard(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const form = await readForm(deps.forms, visit);
  if (!form) return;
  const bin = form.get("bin") ?? "";
  await visitWithPermit(deps, visit, "read", async () => {
    const checkout = await look(deps, visit);
    if (!checkout) return;
    if (!binSchema.safeParse(bin).success) return notFound(visit);
    const { checkoutId, exchange } = visit;
    const reply = await deps.sendPage(inspectCheckoutCard, exchange, { checkoutId, bin });
    if (!("result" in reply)) return reply.outcome === "problem" ? notFound(visit) : trouble(visit);
    const installments = installmentChoices(checkout, reply.result.installments, visit.asked.locale);
    answerScript(visit, { cardScheme: reply.result.cardScheme, installments });
  });
}

async function pay(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const form = await readForm(deps.forms, visit);
  if (!form) return;
  let checkout: CheckoutPage | undefined;
  await visitWithPermit(deps, visit, "read", async () => void (checkout = await look(deps, visit)));
  // The permit of a payment is its merchant's, which is known now.
  if (checkout)
    await visitWithPermit(deps, visit, "external", () => payWith(deps, visit, { form, checkout: checkout! }));
}

async function payWith(
  deps: CheckoutPagesDeps,
  visit: Visit,
  { form, checkout }: { form: URLSearchParams; checkout: CheckoutPage },
): Promise<void> {
  const { exchange, asked, path, checkoutId } = visit;
  const answer = await deps.payByForm({ exchange, checkout, form, asked });
  const here = `${path}?lang=${asked.locale.language}`;
  switch (answer.kind) {
    case "onward":
      return goTo(visit, answer.url ?? here);
    case "faults": {
      if (asked.byScript) return answerScript(visit, { faults: answer.faults });
      return goTo(visit, `${here}&faults=${answer.faults.join(",")}${pricedQuery(answer.priced)}`);
    }
    case "declined": {
      if (!asked.byScript) return goTo(visit, here);
      const paymentId = randomUUIDv7();
      const token = deps.forms.tokens.issue({ checkoutId, paymentId });
      return answerScript(visit, { ...answer.texts, form: { paymentId, token } });
    }
    default:
      return answer satisfies never;
  }
}

async function cancel(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const form = await readForm(deps.forms, visit);
  if (!form) return;
  await visitWithPermit(deps, visit, "write", async () => {
    await deps.sendPage(cancelCheckout, visit.exchange, { checkoutId: visit.checkoutId });
    // The page shows the state of the checkout, whatever the reply was.
    goTo(visit, `${visit.path}?lang=${visit.asked.locale.language}`);
  });
}

/** The current checkout; undefined when the visit has been answered otherwise. */
async function look(deps: CheckoutPagesDeps, visit: Visit): Promise<CheckoutPage | undefined> {
  const reply = await deps.sendPage(viewCheckout, visit.exchange, { checkoutId: visit.checkoutId });
  if ("result" in reply) {
    visit.exchange.merchantId = reply.result.merchantId;
    visit.exchange.paymentId = reply.result.payment?.paymentId;
    deps.rate.know(visit.checkoutId);
    return reply.result;
  }
  if (reply.outcome === "problem") notFound(visit);
  else trouble(visit);
  return undefined;
}
