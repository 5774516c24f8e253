// Times of words, from the decoder's cross attention: attention of the alignment heads, dynamic time warping,
// then words are moved out of silence.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "asr/language.h"
#include "text/tokens/tokens.h"

namespace trunkline::asr {

struct Word {
  std::string text;  // with the marks that belong to it, no spaces
  double start = 0;  // seconds
  double end = 0;
  float logprob = 0;  // mean of its tokens
};

struct Span {
  double start = 0;
  double end = 0;
};

// Rows of attention for each token and the end of the text: tokens + 1 rows of [heads, rows].
struct Attention {
  std::vector<float> values;
  size_t heads = 0;
  size_t rows = 0;
  size_t audio_rows = 0;
};

// The words of the tokens, without times. Tokens of one letter's bytes stay together.
std::vector<Word> JoinWords(std::span<const text::TokenId> tokens, std::span<const float> logprobs,
                            const text::ByteTokens& table, std::vector<size_t>& first_token);

// The times count from the start of the window.
std::vector<Word> TimeWords(std::span<const text::TokenId> tokens, std::span<const float> logprobs,
                            const text::ByteTokens& table, const Attention& attention);

// Moves starts and ends out of silence into the nearest of `speech` (in order, on the words' clock). Words
// stay in order and none becomes shorter than 20 ms. Without spans nothing moves.
void ClampToSpeech(std::vector<Word>& words, std::span<const Span> speech);

std::string TextOf(std::span<const Word> words);

}  // namespace trunkline::asr
