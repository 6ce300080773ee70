/**
 * ISO 4217: the decimals of each currency that can be charged. Metals, units of account, tests and "none" are left out.
 * Intl is no source, since its display digits differ for 16 currencies.
 */
export const CURRENCY_LIST = {
  name: "ISO 4217",
  source:
    "https://www.six-group.com/dam/download/financial-information/data-center/iso-currrency/lists/list-one.xml",
  /** The list of 2026-01-01 was the newest. */
  comparedOn: "2026-11-29",
} as const;

const CODES_BY_DECIMALS = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
} as const;

/**
 * Codes that the list no longer has. They stay known, since payments in them are still captured, refunded and reported; an
 * account at a bank says which currencies it takes.
 */
const WITHDRAWN_CODES_BY_DECIMALS = { 2: "ANG BGN CUC" } as const;

/** The decimals of a currency's minor unit, by its code. */
export const CURRENCY_DECIMALS: ReadonlyMap<string, number> = new Map(
  [CODES_BY_DECIMALS, WITHDRAWN_CODES_BY_DECIMALS].flatMap((lists) =>
    Object.entries(lists).flatMap(([decimals, codes]) =>
      codes.split(" ").map((code) => [code, Number(decimals)] as const),
    ),
  ),
);
