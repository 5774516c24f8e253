// The folder of an added Moonshine, with the graphs and tokens of the pinned one.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "test/support/own_path.h"
#include "test/support/speech.h"

namespace trunkline::test {

class AddedMoonshine {
 public:
  explicit AddedMoonshine(const std::string& name)
      : stock_(std::filesystem::path(ModelFile("moonshine-tiny-en/encoder.ort")).parent_path()),
        folder_(OwnPath(name)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const char* file : {"encoder.ort", "decoder.ort", "tokenizer.bin"}) Link(file, file);
    Configure("form ort\nbegin 1\nend 2\n");
  }
  ~AddedMoonshine() { std::filesystem::remove_all(folder_); }
  AddedMoonshine(const AddedMoonshine&) = delete;
  AddedMoonshine& operator=(const AddedMoonshine&) = delete;

  const std::filesystem::path& stock() const { return stock_; }
  const std::filesystem::path& folder() const { return folder_; }
  void Link(const char* file, const char* as) const {
    std::filesystem::remove(folder_ / as);
    std::filesystem::create_symlink(stock_ / file, folder_ / as);
  }
  void Configure(const std::string& conf) const { std::ofstream(folder_ / "moonshine.conf") << conf; }

 private:
  const std::filesystem::path stock_, folder_;
};

}  // namespace trunkline::test
