/** Laws that require a watermark in synthetic speech. The operator confirms the reading. */
export interface MarkingLaw {
  readonly name: string;
  readonly source: string;
  /** The date from which the law applies. */
  readonly since: string;
}

const UNION: MarkingLaw = {
  name: 'Regulation (EU) 2024/1689, article 50(2)',
  source: 'https://eur-lex.europa.eu/eli/reg/2024/1689/oj',
  since: '2026-08-02',
};

const MEMBERS = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

const LAWS: ReadonlyMap<string, MarkingLaw> = new Map([
  ...MEMBERS.map((country) => [country, UNION] as const),
  [
    'CN',
    {
      name: 'Measures for Labeling AI-Generated Synthetic Content, article 5',
      source: 'https://www.cac.gov.cn/2025-03/14/c_1743654684782215.htm',
      since: '2025-09-01',
    },
  ],
  [
    'US',
    {
      name: 'California AI Transparency Act (SB 942, AB 853)',
      source: 'https://leginfo.legislature.ca.gov/faces/billNavClient.xhtml?bill_id=202320240SB942',
      since: '2026-08-02',
    },
  ],
]);

/** Returns null where no known law of the country requires a watermark. */
export const lawOf = (country: string): MarkingLaw | null => LAWS.get(country) ?? null;
