import {
  alterAcquirerAccount,
  changeAcquirerAccount,
  confirmAccountVersion,
  confirmAcquirerAccount,
  confirmMerchantRoutes,
  confirmRoutes,
  createAcquirerAccount,
  getAcquirerAccount,
  getMerchantRoutes,
  listAcquirerAccounts,
  makeAcquirerAccount,
  probeAccount,
  probeAcquirerAccount,
  putMerchantRoutes,
  readAcquirerAccounts,
  readRoutes,
  replaceRoutes,
  type CommandReply,
} from "@holdfast/contracts";
import { operatorRefusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute, type Answer, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";

/** Accounts at banks, and which of them each merchant's payments go to. Payments keeps them and decides about them. */
export function acquirerAccountRoutes({ send }: { send: SendOperatorCommand }): Route[] {
  return [
    defineRoute(createAcquirerAccount, async (call) => {
      const reply = await send(makeAcquirerAccount, call, call.body);
      return "result" in reply ? { status: 201, body: reply.result } : operatorRefusalOf(reply);
    }),
    defineRoute(listAcquirerAccounts, async (call) => answer(await send(readAcquirerAccounts, call, {}))),
    defineRoute(getAcquirerAccount, async (call) => {
      const reply = await send(readAcquirerAccounts, call, call.path);
      if (!("result" in reply)) return operatorRefusalOf(reply);
      const [account] = reply.result.items;
      return account ? { status: 200, body: account } : new Refusal("acquirer_account_not_found");
    }),
    defineRoute(changeAcquirerAccount, async (call) =>
      answer(await send(alterAcquirerAccount, call, { ...call.path, change: call.body })),
    ),
    defineRoute(confirmAcquirerAccount, async (call) =>
      answer(await send(confirmAccountVersion, call, { ...call.path, ...call.body })),
    ),
    defineRoute(probeAcquirerAccount, async (call) => answer(await send(probeAccount, call, call.path))),
    defineRoute(getMerchantRoutes, async (call) => answer(await send(readRoutes, call, call.path))),
    defineRoute(putMerchantRoutes, async (call) =>
      answer(await send(replaceRoutes, call, { ...call.path, routes: call.body })),
    ),
    defineRoute(confirmMerchantRoutes, async (call) =>
      answer(await send(confirmRoutes, call, { ...call.path, ...call.body })),
    ),
  ];
}

function answer<Body extends object>(reply: CommandReply<Body>): (Answer<200> & { body: Body }) | Refusal {
  return "result" in reply ? { status: 200, body: reply.result } : operatorRefusalOf(reply);
}
