import { operations } from "@holdfast/contracts";
import type { Notice, PageAnswer, PageContext } from "../ui/page-context.ts";
import { sentVersion } from "../ui/seen-version.ts";
import { takeAction } from "../ui/take-action.ts";
import { sentAttributes } from "./account-fields.ts";
import { answerAccount } from "./account-page.ts";
import { accountPath } from "./account-path.ts";
import { ACCOUNT_TEXTS } from "./account-texts.ts";
import { isEntered, numberIn, protocolFields, sentValue } from "./protocol-fields.ts";
import { readAccount } from "./read-account.ts";

const ofAccount = ({ parameters }: PageContext) => {
  const accountId = parameters["accountId"]!;
  return { path: { accountId }, page: accountPath(accountId) };
};

/** Changes the whole account, or proposes it where another person has to confirm. */
export async function changeAccount(context: PageContext): Promise<PageAnswer> {
  const { form } = context;
  const { protocol } = await readAccount(context);
  const secrets = sentValue(protocolFields("secrets", protocol.secrets), form);
  const body = {
    ...sentAttributes(form),
    state: form.get("state"),
    settings: sentValue(protocolFields("settings", protocol.settings), form),
    ...((form.has("newSecrets") || isEntered(secrets)) && { secrets }),
  };
  return await change(context, body);
}

/** Changes the account's state alone. */
export async function changeState(context: PageContext): Promise<PageAnswer> {
  return await change(context, { state: context.form.get("state") });
}

async function change(context: PageContext, body: object): Promise<PageAnswer> {
  return await takeAction(
    context,
    {
      action: "changeAccount",
      endpoint: operations.changeAcquirerAccount,
      ...ofAccount(context),
      body: { ...sentVersion(context.form), ...body },
    },
    answerAccount,
    ({ proposal }) => (proposal ? "proposeAccount" : "changeAccount"),
  );
}

export async function confirmAccount(context: PageContext): Promise<PageAnswer> {
  return await takeAction(
    context,
    {
      action: "changeAccount",
      endpoint: operations.confirmAcquirerAccount,
      ...ofAccount(context),
      body: { version: Number(context.form.get("version")) },
    },
    answerAccount,
  );
}

/** Calls the bank: with what is in use, or with what is proposed and the credentials of the form. */
export async function probeAccount(context: PageContext): Promise<PageAnswer> {
  const { form, reader } = context;
  const version = form.get("proposalVersion");
  const { protocol } = await readAccount(context);
  const secrets = sentValue(protocolFields("secrets", protocol.secrets), form);
  return await takeAction(
    context,
    {
      action: "probeAccount",
      endpoint: operations.probeAcquirerAccount,
      ...ofAccount(context),
      body: version === null ? {} : { proposal: { version: numberIn(version), secrets } },
    },
    answerAccount,
    ({ result, detail }) => {
      if (result === "ok") return "probeAccount";
      const texts = ACCOUNT_TEXTS[reader.language];
      const notice: Notice = {
        role: "alert",
        title: texts.probeFailed[result],
        text: [detail, texts.probeNext[result]].filter(Boolean).join(". "),
      };
      // The key was used for this call, so the next call gets another.
      form.delete("key");
      return answerAccount(context, notice, 200);
    },
  );
}
