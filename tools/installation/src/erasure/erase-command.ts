import { commandActor, readCommandLine, UsageError } from "@holdfast/service-runtime";
import { z } from "zod";
import { findInArchives, type InArchives } from "../archive/find-in-archives.ts";
import { withProductDatabase } from "../database/product-database.ts";
import { eraseCustomer, type Erasure } from "./erase-customer.ts";
import { ERASED, idsOf } from "./erased.ts";

const HELP = `npm run erase -- --customer ID --merchant ID [--reason TEXT] [--archive DIR] [--database-url URL | --home DIR]

Replaces what identifies a customer by "${ERASED}", in all rows about that customer's payments. Amounts and references stay.

  --customer ID        the customerId that the merchant sent with its payments
  --merchant ID        the merchant whose customer it is
  --reason TEXT        what the audit logs record as the reason, such as a request's number; not the person's name
  --archive DIR        the directory of archived months, in which the customer is looked for, too
  --database-url URL   the product's database, as a role that may act as the owner of each schema
                       (default: $DATABASE_ADMIN_URL with the database $DATABASE_NAME)
  --home DIR           uses the database of the sandbox in DIR (default, where neither is set: .holdfast)

exits with 0 when nothing of the customer is left, with 1 when the erasure was refused, or an archived month has the
customer or was not looked through, with 2 when nothing could be done
docs/erasure.md explains what is erased and what is refused.
`;

const argumentsSchema = z.object({
  customer: z
    .string({ error: "--customer is required" })
    .min(1, "--customer is required")
    .max(64, "--customer has 64 characters at most")
    .refine((id) => id !== ERASED, `--customer ${ERASED} is the marker of every customer who was erased`),
  merchant: z.uuid({ error: "--merchant must be a merchant's id, a UUID" }),
  reason: z
    .string()
    .min(1, "--reason may not be empty")
    .max(200, "--reason has 200 characters at most")
    .optional(),
  archive: z.string().min(1, "--archive may not be empty").optional(),
});

type Output = (text: string) => void;

/** @returns the exit code. @throws if the arguments are invalid, or the database cannot be reached. */
export async function erase(args: string[], env: NodeJS.ProcessEnv, out: Output): Promise<number> {
  const line = readCommandLine(
    args,
    {
      help: HELP,
      options: {
        customer: { type: "string" },
        merchant: { type: "string" },
        reason: { type: "string" },
        archive: { type: "string" },
        "database-url": { type: "string" },
        home: { type: "string", default: ".holdfast" },
      },
    },
    out,
  );
  if (!line) return 0;
  const { values } = line;
  const parsed = argumentsSchema.safeParse(values);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map(({ message }) => message).join("; "));
  const { customer: customerId, merchant: merchantId, reason } = parsed.data;
  const customer = { merchantId, customerId };
  const actor = commandActor("erase", env);
  return await withProductDatabase(values, env, { application_name: "erase" }, async (db) => {
    const code = report(await eraseCustomer(db, { customer, actor, reason }), out);
    return Math.max(
      code,
      reportArchives(
        await findInArchives(db, { merchantIds: idsOf(customer), customerId }, parsed.data.archive),
        out,
      ),
    );
  });
}

/** Payments in files stay there until somebody brings the month back. */
function reportArchives({ found, unread }: InArchives, out: Output): number {
  if (found.length > 0)
    out(
      `archived months have payments of this customer: ${found.join(", ")}; docs/archive.md says what to do\n`,
    );
  if (unread.length > 0)
    out(
      `archived months were not looked through: ${unread.join(", ")}; name their directory with --archive\n`,
    );
  return found.length + unread.length > 0 ? 1 : 0;
}

function report(erasure: Erasure, out: Output): number {
  if (erasure.outcome === "refused") {
    out("refused; try again when this has ended:\n");
    for (const { why, ids } of erasure.obstacles) out(`  ${why}: ${ids.join(", ")}\n`);
    return 1;
  }
  const { erasureId, payments, refunds, checkouts } = erasure;
  if (payments + refunds + checkouts === 0) {
    out("nothing is stored about this customer of this merchant\n");
    return 0;
  }
  out(`erasure ${erasureId}: ${payments} payments, ${refunds} refunds, ${checkouts} checkouts erased\n`);
  return 0;
}
