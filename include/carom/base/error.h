// The one exception type of the API, and the one function that throws it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace carom {

/// A caller's mistake: the message names the function, the argument and what is expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws `Error`. Where exceptions do not exist (WebAssembly) it prints the message and traps.
[[noreturn]] void fail(const std::string& message);

/// Precondition check, on in every build.
inline void require(bool condition, const char* message) {
  if (!condition) fail(message);
}

/// A value, or the message that says why there is none. For readers of files: bad data is not exceptional.
template <class T>
class Result {
 public:
  Result(T value) : value_(std::move(value)), ok_(true) {}
  static Result failure(std::string message) { return Result(FailureTag{}, std::move(message)); }

  explicit operator bool() const { return ok_; }
  const std::string& message() const { return message_; }

  /// Requires that the result holds a value.
  T& value() {
    require(ok_, "Result::value: the result holds an error");
    return value_;
  }
  const T& value() const {
    require(ok_, "Result::value: the result holds an error");
    return value_;
  }

 private:
  struct FailureTag {};
  Result(FailureTag /*tag*/, std::string message) : message_(std::move(message)) {}

  T value_{};
  std::string message_;
  bool ok_ = false;
};

}  // namespace carom
