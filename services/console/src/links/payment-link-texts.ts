import type { Language } from "@holdfast/html";
import { TURKISH } from "./payment-link-texts-tr.ts";

const ENGLISH = {
  links: "Payment links",
  link: "Payment link",
  newLink: "New link",
  description: "What is paid for",
  descriptionHint: "The buyer sees this text.",
  order: "Order number",
  amount: "Amount",
  currency: "Currency",
  use: "Can be paid",
  uses: { SINGLE: "once", MULTIPLE: "many times" },
  expires: "Expires",
  expiresIn: "Open for",
  durations: { day: "1 day", week: "7 days", month: "30 days", year: "365 days" },
  disabled: "Disabled",
  address: "Address",
  code: "QR code of the address",
  downloadCode: "Download QR code",
  disable: "Disable link",
  confirmDisable: "Disable this link? Nobody can start a payment with it any more.",
  createLink: "Create link",
  copy: "Copy",
  copied: "Copied",
  noLinks:
    "There is no link in this mode. A link is the address of a page on which a buyer pays, without a shop.",
  noLinksYet: "Create the first one below.",
  askOwner: "Ask a colleague with the role owner to create links.",
  needOrder: "Write an order number.",
  needDescription: "Write what is paid for.",
};

export type PaymentLinkTexts = typeof ENGLISH;

/** The texts of the pages about payment links. */
export const PAYMENT_LINK_TEXTS: Record<Language, PaymentLinkTexts> = { en: ENGLISH, tr: TURKISH };
