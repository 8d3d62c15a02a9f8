// A validator of JSON Schema for the tests: the keywords that Carom's schemas use, and a complaint about any other.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace carom::test {

using Json = nlohmann::json;

class SchemaValidator {
 public:
  explicit SchemaValidator(Json schema) : root_(std::move(schema)) {}

  /// Empty if the value is valid, else the path of the first thing wrong and the keyword it breaks.
  std::string check(const Json& value) const { return check(root_, value, "$"); }

 private:
  std::string check(const Json& schema, const Json& value, const std::string& path) const;
  std::string check_keyword(const std::string& keyword, const Json& schema, const Json& value,
                            const std::string& path) const;
  std::string check_members(const Json& schema, const Json& value, const std::string& path) const;

  Json root_;
};

}  // namespace carom::test
