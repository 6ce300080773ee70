import { html, type Html } from "@holdfast/html";
import { timeElement } from "../ui/format.ts";
import { MERCHANT_TEXTS, type MerchantTexts } from "./merchant-texts.ts";
import type { PageAnswer, PageContext } from "../ui/page-context.ts";
import { facts } from "../ui/table.ts";

export type NewSecret = {
  merchantId: string;
  /** Undefined in the answer to a form that was sent before. */
  secret: string | undefined;
  apiKey?: string;
  activatesAt?: string;
};

/** A new secret, on the only page that ever shows it. */
export function secretPage({ reader, session }: PageContext, title: string, made: NewSecret): PageAnswer {
  const texts = MERCHANT_TEXTS[reader.language];
  const isHere = made.secret !== undefined;
  const content = html`${facts([
      [texts.key, made.apiKey === undefined ? undefined : copyable(texts, made.apiKey)],
      [texts.secret, made.secret === undefined ? undefined : copyable(texts, made.secret)],
      [texts.activatesAt, made.activatesAt === undefined ? undefined : timeElement(reader, made.activatesAt)],
    ])}
    <p>
      <a class="button" href="/merchants/${made.merchantId}"
        >${session.staff ? reader.texts.keysAndWebhooks : texts.toMerchant}</a
      >
    </p>`;
  const notice = isHere
    ? ({
        role: "status",
        title: texts.secretTitle,
        text: session.staff ? texts.ownSecretText : texts.secretText,
      } as const)
    : ({ role: "alert", title: texts.secretGone, text: texts.secretGoneText } as const);
  return { kind: "page", title, content, notice };
}

/** A script puts a button next to it. */
function copyable({ copy, copied }: MerchantTexts, text: string): Html {
  return html`<code data-copy="${copy}" data-copied="${copied}">${text}</code>`;
}
