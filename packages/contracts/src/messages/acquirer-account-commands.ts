import { z } from "zod";
import {
  acquirerAccountSchema,
  changeAcquirerAccountRequestSchema,
  createAcquirerAccountRequestSchema,
  probeResultSchema,
} from "../http/acquirer-accounts.ts";
import { merchantRoutesSchema, routeSchema } from "../http/merchant-routes.ts";
import { defineOperatorCommand } from "./message.ts";

/** What operators ask of `payments` about accounts at banks and about routes. */
const service = "payments";
const admin = "admin";
const account = z.object({ accountId: z.uuid() });
const merchant = z.object({ merchantId: z.uuid() });
const version = z.object({ version: z.int() });

export const makeAcquirerAccount = defineOperatorCommand({
  service,
  name: "make-account",
  role: admin,
  work: "write",
  request: createAcquirerAccountRequestSchema,
  result: acquirerAccountSchema,
});

export const readAcquirerAccounts = defineOperatorCommand({
  service,
  name: "read-accounts",
  role: "viewer",
  work: "read",
  request: account.partial(),
  result: z.object({ items: z.array(acquirerAccountSchema) }),
});

export const alterAcquirerAccount = defineOperatorCommand({
  service,
  name: "alter-account",
  role: admin,
  work: "write",
  request: account.extend({ change: changeAcquirerAccountRequestSchema }),
  result: acquirerAccountSchema,
});

export const confirmAccountVersion = defineOperatorCommand({
  service,
  name: "confirm-account",
  role: admin,
  work: "write",
  request: account.extend(version.shape),
  result: acquirerAccountSchema,
});

export const probeAccount = defineOperatorCommand({
  service,
  name: "probe-account",
  role: "operations",
  request: account,
  result: probeResultSchema,
});

export const readRoutes = defineOperatorCommand({
  service,
  name: "read-routes",
  role: "viewer",
  work: "read",
  request: merchant,
  result: merchantRoutesSchema,
});

export const replaceRoutes = defineOperatorCommand({
  service,
  name: "replace-routes",
  role: admin,
  work: "write",
  request: merchant.extend({ routes: z.array(routeSchema).max(100) }),
  result: merchantRoutesSchema,
});

export const confirmRoutes = defineOperatorCommand({
  service,
  name: "confirm-routes",
  role: admin,
  work: "write",
  request: merchant.extend(version.shape),
  result: merchantRoutesSchema,
});
