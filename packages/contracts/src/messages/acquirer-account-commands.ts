import { z } from "zod";
import {
  accountChangeSchema,
  acquirerAccountSchema,
  createAcquirerAccountRequestSchema,
  type CreateAcquirerAccountRequest,
} from "../http/acquirer-accounts.ts";
import { probeResultSchema } from "../http/acquirer-account-probe.ts";
import { sealedReplySchema } from "../sealed-reply.ts";
import { merchantRoutesSchema, routeSchema } from "../http/merchant-routes.ts";
import { defineOperatorCommand } from "./message.ts";

/** The operators' commands to `payments` about accounts at banks and about routes. */
const service = "payments";
const admin = "admin";
const account = z.object({ accountId: z.uuid() });
const merchant = z.object({ merchantId: z.uuid() });
const version = z.object({ version: z.int() });

/** Credentials cross the bus sealed to `payments` (see `sealTo`): a JSON text of {@link AccountCredentials}. */
const sealed = { sealedSecrets: sealedReplySchema };

/** The sealed content: credentials and their account, so that they cannot be moved to another request. */
export type AccountCredentials = {
  /** The id of an account that is changed or probed, or the name of a new one. */
  for: string;
  secrets: CreateAcquirerAccountRequest["secrets"];
};

export const makeAcquirerAccount = defineOperatorCommand({
  service,
  name: "make-account",
  role: admin,
  recentSignIn: true,
  work: "write",
  request: createAcquirerAccountRequestSchema.omit({ secrets: true }).extend(sealed),
  result: acquirerAccountSchema,
});

export const readAcquirerAccounts = defineOperatorCommand({
  service,
  name: "read-accounts",
  role: "viewer",
  work: "read",
  request: account.partial(),
  result: z.object({
    items: z.array(acquirerAccountSchema),
    /** The key that credentials are sealed to; absent where none can be kept. */
    sealTo: z.string().optional(),
  }),
});

export const alterAcquirerAccount = defineOperatorCommand({
  service,
  name: "alter-account",
  role: admin,
  recentSignIn: true,
  work: "write",
  request: account.extend({ change: accountChangeSchema.omit({ secrets: true }), ...sealed }).partial({
    sealedSecrets: true,
  }),
  result: acquirerAccountSchema,
});

export const confirmAccountVersion = defineOperatorCommand({
  service,
  name: "confirm-account",
  role: admin,
  recentSignIn: true,
  work: "write",
  request: account.extend(version.shape),
  result: acquirerAccountSchema,
});

export const probeAccount = defineOperatorCommand({
  service,
  name: "probe-account",
  role: "operations",
  request: account.extend({ proposal: version.extend(sealed).optional() }),
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
  recentSignIn: true,
  work: "write",
  request: merchant.extend({ routes: z.array(routeSchema).max(100) }),
  result: merchantRoutesSchema,
});

export const confirmRoutes = defineOperatorCommand({
  service,
  name: "confirm-routes",
  role: admin,
  recentSignIn: true,
  work: "write",
  request: merchant.extend(version.shape),
  result: merchantRoutesSchema,
});
