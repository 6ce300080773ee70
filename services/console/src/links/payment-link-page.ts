import { operations, type PaymentLink } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { actionForm } from "../ui/form-fields.ts";
import { amountText, modeText, statusBadge, timeElement } from "../ui/format.ts";
import { mayMakeLinks } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { PAYMENT_LINK_TEXTS } from "./payment-link-texts.ts";
import { facts } from "../ui/table.ts";
import { doneNotice, takeAction } from "../ui/take-action.ts";

/** One link, with its address to be copied, its QR code, and its end. */
export const paymentLinkPage: Page[] = [
  {
    audience: "staff",
    method: "GET",
    path: "/payment-links/:paymentLinkId",
    answer: (context) => answerLink(context),
  },
  { audience: "staff", method: "GET", path: "/payment-links/:paymentLinkId/code.svg", answer: answerCode },
  { audience: "staff", method: "POST", path: "/payment-links/:paymentLinkId/disable", answer: disable },
];

async function answerLink(context: PageContext, notice?: Notice, status = 200): Promise<PageAnswer> {
  const { api, reader } = context;
  const texts = PAYMENT_LINK_TEXTS[reader.language];
  const link = await api.read(operations.getPaymentLink, { path: pathOf(context) });
  const { paymentLinkId } = link;
  const content = html`${facts(factsOf(reader, link))}
  ${
    link.status === "ACTIVE" &&
    html`<p><img class="code" src="/payment-links/${paymentLinkId}/code.svg" alt="${texts.code}" /></p>
      <p>
        <a
          class="button"
          href="/payment-links/${paymentLinkId}/code.svg"
          download="payment-link-${paymentLinkId}.svg"
          >${texts.downloadCode}</a
        >
      </p>`
  }
  ${
    link.status === "ACTIVE" &&
    mayMakeLinks(context.session) &&
    actionForm(context, {
      action: `/payment-links/${paymentLinkId}/disable`,
      button: texts.disable,
      question: texts.confirmDisable,
    })
  }`;
  const title = `${texts.link} ${link.orderId}`;
  return {
    kind: "page",
    title,
    content,
    notice: notice ?? doneNotice(context),
    status,
    isTest: !link.livemode,
  };
}

function factsOf(reader: Reader, link: PaymentLink) {
  const texts = PAYMENT_LINK_TEXTS[reader.language];
  return [
    [
      texts.address,
      html`<code data-copy="${texts.copy}" data-copied="${texts.copied}">${link.paymentLinkUrl}</code>`,
    ],
    [texts.description, link.description],
    [texts.amount, amountText(reader, link.amount, link.currency)],
    [reader.texts.status, statusBadge(reader, link.status)],
    [reader.texts.mode, modeText(reader, link.livemode)],
    [texts.use, texts.uses[link.use]],
    [reader.texts.made, timeElement(reader, link.createdAt)],
    [texts.expires, timeElement(reader, link.expiresAt)],
    [texts.disabled, link.disabledAt === undefined ? undefined : timeElement(reader, link.disabledAt)],
  ] as const;
}

async function answerCode(context: PageContext): Promise<PageAnswer> {
  const mediaType = "image/svg+xml";
  const path = pathOf(context);
  return {
    kind: "file",
    mediaType,
    ...(await context.api.download(operations.getPaymentLink, mediaType, { path })),
  };
}

async function disable(context: PageContext): Promise<PageAnswer> {
  const path = pathOf(context);
  return await takeAction(
    context,
    {
      action: "disableLink",
      endpoint: operations.disablePaymentLink,
      path,
      body: undefined,
      page: `/payment-links/${encodeURIComponent(path.paymentLinkId)}`,
    },
    answerLink,
  );
}

function pathOf({ parameters }: PageContext): { paymentLinkId: string } {
  return { paymentLinkId: parameters["paymentLinkId"]! };
}
