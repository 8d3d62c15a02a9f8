#include "io/replay_page.h"

#include "io/replay_data.h"
#include "io/replay_template.h"
#include "io/whole_file.h"

namespace carom {
namespace {

std::string escaped_html(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else
      escaped += c;
  }
  return escaped;
}

}  // namespace

std::string replay::fill_page(std::string_view page, const std::string& title, std::string_view data) {
  const std::size_t title_at = page.find(kTitleMark), data_at = page.find(kDataMark);
  const std::string escaped = escaped_html(title);
  std::string text;
  text.reserve(page.size() + data.size() + escaped.size());
  text += page.substr(0, title_at);
  text += escaped;
  const std::size_t rest = title_at + kTitleMark.size();
  text += page.substr(rest, data_at - rest);
  text += data;
  text += page.substr(data_at + kDataMark.size());
  return text;
}

bool replay_page_available() { return !replay::kPageTemplate.empty(); }

std::string replay_page_missing_message() {
  return "this build has no replay page: configure Carom with -DCAROM_WEB=ON, which needs node 18 or newer and npm";
}

struct ReplayPage::Impl {
  std::string path, title;
  ReplayData data;
  std::string error;
};

ReplayPage::ReplayPage(std::string path, const Cast& cast)
    : impl_(std::make_unique<Impl>(std::move(path), cast.scene, ReplayData(cast))) {
  if (!replay_page_available()) impl_->error = impl_->path + ": " + replay_page_missing_message();
}

ReplayPage::~ReplayPage() = default;

void ReplayPage::add_frame(const Frame& frame) { impl_->data.add_frame(frame); }

void ReplayPage::add_step(const StepReport& report) { impl_->data.add_step(report); }

void ReplayPage::add_events(const StepEvents& events) { impl_->data.add_events(events); }

void ReplayPage::finish() {
  if (!impl_->error.empty()) return;
  impl_->data.finish();
  WholeFile file(impl_->path);
  file.write(replay::fill_page(replay::kPageTemplate, impl_->title, impl_->data.text()));
  impl_->error = file.commit();
}

std::string ReplayPage::error() const { return impl_->error; }

}  // namespace carom
