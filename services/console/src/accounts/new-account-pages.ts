import { operations, type AcquirerProtocol } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { signInAgain } from "../ui/action-forms.ts";
import { faultAt } from "../ui/field-faults.ts";
import { actionForm, selectField } from "../ui/form-fields.ts";
import { modeText } from "../ui/format.ts";
import { barText, roleBar } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext } from "../ui/page-context.ts";
import { takeAction } from "../ui/take-action.ts";
import { attributeFields, sentAttributes } from "./account-fields.ts";
import { accountPath } from "./account-path.ts";
import { ACCOUNT_TEXTS } from "./account-texts.ts";
import { fieldGroup } from "./protocol-form.ts";
import { protocolFields, sentValue } from "./protocol-fields.ts";

const PATH = "/accounts/new";

/** A new account by its protocol, whose settings and credentials are fields. */
export const newAccountPages: Page[] = [
  { method: "GET", path: PATH, answer: (context) => answerNew(context) },
  { method: "POST", path: `${PATH}/create`, answer: makeAccount },
];

const pathOf = (protocol: string) => `${PATH}?protocol=${encodeURIComponent(protocol)}`;

async function answerNew(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { api, form, query, reader, session } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const { items } = await api.read(operations.listAcquirerProtocols);
  const named = form.get("protocol") ?? query.get("protocol");
  const chosen = items.find(({ protocol }) => protocol === named);
  const bar = roleBar(session, "admin", reader.texts);
  const content =
    bar === undefined
      ? html`<p>${texts.chooseProtocol}</p>
          <p class="buttons">${items.map(({ protocol }) => protocolLink(protocol, protocol === named))}</p>
          ${chosen && newAccountForm(context, chosen)}`
      : barText(texts.newAccount, { why: bar });
  return {
    kind: "page",
    title: chosen ? texts.newAccountAt(chosen.protocol) : texts.newAccount,
    content,
    notice,
    ...(status !== undefined && { status }),
  };
}

function protocolLink(protocol: string, isChosen: boolean): Html {
  return html`<a class="button" href="${pathOf(protocol)}" ${isChosen && html`aria-current="true"`}
    >${protocol}</a
  >`;
}

function newAccountForm(context: PageContext, { protocol, settings, secrets }: AcquirerProtocol): Html {
  const { form, mayDecide, reader } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const isSent = form.has("protocol");
  // The form is hidden without a recent sign-in, so that nobody enters credentials that are then lost.
  if (!mayDecide && !isSent) return signInAgain(context, pathOf(protocol));
  const fault = faultAt(context, "protocol");
  return actionForm(context, {
    action: `${PATH}/create`,
    button: texts.make,
    values: { protocol },
    look: "primary",
    fields: html`<p class="quiet">${texts.newHint}</p>
      ${fault !== undefined && html`<div class="field"><p class="fault">${fault}</p></div>`}
      ${protocol === SIMULATOR && modeField(context, isSent)} ${attributeFields(context, { isSent })}
      ${fieldGroup(context, protocolFields("settings", settings), { isSent })}
      ${fieldGroup(context, protocolFields("secrets", secrets), { isSent, isSecret: true })}`,
  });
}

/** The protocol of our own simulator: test mode has accounts of no other. */
const SIMULATOR = "sim";

function modeField({ form, reader }: PageContext, isSent: boolean): Html {
  return selectField({
    name: "livemode",
    label: reader.texts.mode,
    choices: [false, true].map((livemode) => ({ value: `${livemode}`, text: modeText(reader, livemode) })),
    chosen: isSent ? form.get("livemode") : "false",
    hint: ACCOUNT_TEXTS[reader.language].modeHint,
  });
}

/** Makes the account, or proposes it where another person has to confirm, and leads to its page. */
async function makeAccount(context: PageContext): Promise<PageAnswer> {
  const { api, form } = context;
  const named = form.get("protocol") ?? "";
  const { items } = await api.read(operations.listAcquirerProtocols);
  const chosen = items.find(({ protocol }) => protocol === named);
  const body = {
    protocol: named,
    ...sentAttributes(form),
    settings: sentValue(protocolFields("settings", chosen?.settings ?? {}), form) ?? {},
    secrets: sentValue(protocolFields("secrets", chosen?.secrets ?? {}), form) ?? {},
    ...(named === SIMULATOR && { livemode: form.get("livemode") === "true" }),
  };
  return await takeAction(
    context,
    {
      action: "changeAccount",
      endpoint: operations.createAcquirerAccount,
      path: {},
      body,
      page: pathOf(named),
    },
    answerNew,
    ({ accountId, proposal }) => {
      const done = proposal ? "proposeAccount" : "changeAccount";
      return { kind: "redirect", to: `${accountPath(accountId)}?done=${done}` };
    },
  );
}
