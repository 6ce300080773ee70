import { z } from "zod";

const count = (description: string) => z.int().meta({ description });
const sum = (description: string) => z.number().meta({ description });

const volumeSchema = z.object({
  currency: z.string().meta({ description: "ISO 4217 code, upper case" }),
  payments: count("Number of payments"),
  amount: sum("Sum of their amounts, in major units of the currency"),
  amountByNow: sum("Sum of those made up to the same time of day as `at`"),
  hours: z
    .array(
      z.object({
        hour: z.int().meta({ description: "Hour of the day (UTC), from 0 to 23" }),
        payments: count("Number of payments of the hour"),
        amount: sum("Sum of their amounts"),
      }),
    )
    .meta({ description: "The hours that have payments, in order" }),
});

/** The days that are shown: today, and two to compare it with. */
export const FIGURE_DAYS = [0, 1, 7] as const;

export const figuresSchema = z
  .object({
    at: z.iso.datetime().meta({ description: "When the sums were made (UTC)" }),
    days: z
      .array(
        z.object({
          day: z.iso.date().meta({ description: "Day (UTC)" }),
          volumes: z.array(volumeSchema).meta({
            description: "Payments that are SUCCESS or CAPTURED, by currency, the most used one first",
          }),
        }),
      )
      .meta({ description: "Today, yesterday, and the same day of last week" }),
    accounts: z
      .array(
        z.object({
          accountId: z
            .uuid()
            .optional()
            .meta({ description: "Account at an acquirer, which a merchant's staff do not get" }),
          name: z.string().optional().meta({ description: "Name of the account" }),
          approved: count("Payments of today that the bank has approved, cancelled ones too"),
          declined: count("Payments of today that the bank has declined"),
        }),
      )
      .meta({ description: "What the banks have answered today" }),
    openDisputes: z
      .object({
        count: count("Number of disputes that are OPEN"),
        oldestAt: z.iso.datetime().optional().meta({ description: "When the oldest was opened (UTC)" }),
      })
      .meta({ description: "Disputes that wait for an answer or an outcome" }),
  })
  .meta({ id: "Figures" });
export type Figures = z.infer<typeof figuresSchema>;
