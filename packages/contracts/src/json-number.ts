/**
 * A JSON number as it was written. Amounts are read from this text, never from a float: `1e400` would be Infinity,
 * `9007199254740993` would lose one, `4.35 * 100` is not 435.
 */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}
