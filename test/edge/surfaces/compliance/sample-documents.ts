import { FORMS_COUNT, factsOf, type Paper, paperOf } from '../../../../bench/compliance/papers.ts';
import { Random } from '../../../../bench/compliance/random.ts';

export const facts = (seed = 7) => factsOf(new Random(seed), 'US', Date.now());

function formNamed(document: string, country: string): number {
  for (let form = 0; form < FORMS_COUNT; form += 1) {
    const { document: found, country: of } = paperOf(form, 0, factsOf(new Random(1), 'US', 0));
    if (found === document && of === country) return form;
  }
  throw new Error(`no form ${document} of ${country}`);
}

export const paper = (document: string, country = 'US', given = facts(), style = 0): Paper =>
  paperOf(formNamed(document, country), style, given);

export const authority = (given = facts()): Buffer => paper('letter_of_authority', 'US', given).pdf;
export const bill = (given = facts()): Buffer => paper('telephone_bill', 'US', given).pdf;
