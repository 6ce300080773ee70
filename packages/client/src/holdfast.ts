import { createBins, type Bins } from "./bins.ts";
import { createCheckouts, type Checkouts } from "./checkouts.ts";
import { checkOptions, type HoldfastOptions } from "./options.ts";
import { createPaymentLinks, type PaymentLinks } from "./payment-links.ts";
import { createPayments, type Payments } from "./payments.ts";
import { createRefunds, type Refunds } from "./refunds.ts";
import { createStatements, type Statements } from "./statements.ts";
import { createWebhooks, type Webhooks } from "./webhooks.ts";

/**
 * A merchant's client of one gateway, created once and used by the whole server. Calls that move money return
 * how they ended, and throw only for a mistake of the calling program, before anything is sent. Reads throw
 * HoldfastError.
 */
export class Holdfast {
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly checkouts: Checkouts;
  readonly paymentLinks: PaymentLinks;
  readonly bins: Bins;
  readonly statements: Statements;
  readonly webhooks: Webhooks;

  /** @throws HoldfastError in a browser, and for options that are not safe to use. */
  constructor(options: HoldfastOptions) {
    // The settings stay in closures, so that logging the client shows no secret.
    const settings = checkOptions(options);
    this.payments = createPayments(settings);
    this.refunds = createRefunds(settings);
    this.checkouts = createCheckouts(settings);
    this.paymentLinks = createPaymentLinks(settings);
    this.bins = createBins(settings);
    this.statements = createStatements(settings);
    this.webhooks = createWebhooks(settings);
  }
}
