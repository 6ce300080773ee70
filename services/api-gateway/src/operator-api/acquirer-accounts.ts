import { operations, type AccountCredentials, type SealedReply } from "@holdfast/contracts";
import { sealReply } from "@holdfast/sealing";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../database.ts";
import { operatorAnswer, refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import { findMerchant } from "../merchant/merchant-queries.ts";

/** Accounts at banks, and which of them each merchant's payments go to. Payments keeps them and decides about them. */
export function acquirerAccountRoutes({ send, db }: Deps): Route[] {
  return [
    defineRoute(operations.createAcquirerAccount, async (call) => {
      const { secrets, ...body } = call.body;
      const sealed = await sealSecrets(send, call, { for: body.name, secrets });
      if (sealed instanceof Refusal) return sealed;
      return operatorAnswer(
        201,
        await send(operations.createAcquirerAccount.command, call, { ...body, ...sealed }),
      );
    }),
    defineRoute(operations.listAcquirerAccounts, async (call) => {
      const reply = await send(operations.listAcquirerAccounts.command, call, {});
      if (!("result" in reply)) return refusalOf(reply);
      return { status: 200, body: { items: reply.result.items } };
    }),
    defineRoute(operations.getAcquirerAccount, async (call) => {
      const reply = await send(operations.listAcquirerAccounts.command, call, call.path);
      if (!("result" in reply)) return refusalOf(reply);
      const [account] = reply.result.items;
      return account ? { status: 200, body: account } : new Refusal("acquirer_account_not_found");
    }),
    defineRoute(operations.changeAcquirerAccount, async (call) => {
      const { secrets, version, ...change } = call.body;
      const sealed = secrets && (await sealSecrets(send, call, { for: call.path.accountId, secrets }));
      if (sealed instanceof Refusal) return sealed;
      return operatorAnswer(
        200,
        await send(operations.changeAcquirerAccount.command, call, {
          ...call.path,
          change,
          version,
          ...sealed,
        }),
      );
    }),
    defineRoute(operations.probeAcquirerAccount, async (call) => {
      const { accountId } = call.path;
      const { proposal } = call.body;
      if (!proposal)
        return operatorAnswer(200, await send(operations.probeAcquirerAccount.command, call, { accountId }));
      const { version, secrets } = proposal;
      const sealed = await sealSecrets(send, call, { for: accountId, secrets });
      if (sealed instanceof Refusal) return sealed;
      const payload = { accountId, proposal: { version, ...sealed } };
      return operatorAnswer(200, await send(operations.probeAcquirerAccount.command, call, payload));
    }),
    defineRoute(operations.putMerchantRoutes, async (call) => {
      if (!(await findMerchant(db, call.path.merchantId))) return new Refusal("merchant_not_found");
      const { version } = call.query;
      const read = version === undefined ? {} : { version: Number(version) };
      const asked = { ...call.path, ...read, routes: call.body };
      return operatorAnswer(200, await send(operations.putMerchantRoutes.command, call, asked));
    }),
  ];
}

/** Credentials cross the bus sealed to payments, which is asked for its key first. */
async function sealSecrets(
  send: SendOperatorCommand,
  call: Parameters<SendOperatorCommand>[1],
  credentials: AccountCredentials,
): Promise<{ sealedSecrets: SealedReply } | Refusal> {
  const reply = await send(operations.listAcquirerAccounts.command, call, { accountId: NO_ACCOUNT });
  if (!("result" in reply)) return refusalOf(reply);
  const { sealTo } = reply.result;
  if (sealTo === undefined)
    return new Refusal("service_unavailable", {
      detail: "The payments service has no key for credentials: ACCOUNT_SECRET_KEYS is not set.",
    });
  return { sealedSecrets: sealReply(sealTo, JSON.stringify(credentials)) };
}

/** The key is asked for, and no account (RFC 9562, the nil UUID). */
const NO_ACCOUNT = "00000000-0000-0000-0000-000000000000";

type Deps = { send: SendOperatorCommand; db: Kysely<GatewayDatabase> };
