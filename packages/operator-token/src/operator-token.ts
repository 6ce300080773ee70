import { inspect } from "node:util";

/**
 * An operator's access token, unverified. However it is printed (string, JSON, console, template) it shows as
 * `[operator token]`: a reader of it could act as the operator until it expires.
 */
export class OperatorToken {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The token itself, to be verified, or to be sent with a command to the service that verifies it. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "[operator token]";
  }

  toJSON(): string {
    return "[operator token]";
  }

  [inspect.custom](): string {
    return "[operator token]";
  }
}
