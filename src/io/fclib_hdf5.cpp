#include "io/fclib_hdf5.h"

#include "io/text_file.h"

#ifdef CAROM_HDF5
#include <hdf5.h>
#endif

namespace carom {

using Opened = Result<std::shared_ptr<const Hdf5File>>;

#ifdef CAROM_HDF5
namespace {

/// HDF5 prints its errors unless told otherwise, and what it is told holds for the process: it is told back.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An open thing of HDF5, closed at the end.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

class OpenFile final : public Hdf5File {
 public:
  OpenFile(std::string path, hid_t id) : path_(std::move(path)), file_(id, H5Fclose) {}
  ~OpenFile() override { const Quiet quiet; }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool has(const std::string& name) const override {
    const Quiet quiet;
    // Each part of the path has to be asked for by itself.
    for (std::size_t slash = name.find('/');; slash = name.find('/', slash + 1)) {
      if (H5Lexists(file_.get(), name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
      if (slash == std::string::npos) return true;
    }
  }

  Result<std::vector<double>> reals(const std::string& name) const override {
    return read<double>(name, H5T_NATIVE_DOUBLE, "numbers");
  }
  Result<std::vector<std::int64_t>> integers(const std::string& name) const override {
    return read<std::int64_t>(name, H5T_NATIVE_INT64, "integers");
  }
  std::string text(const std::string& name) const override;

 private:
  template <class T>
  Result<std::vector<T>> read(const std::string& name, hid_t memory_type, const char* what) const;

  std::string path_;
  Handle file_;
};

template <class T>
Result<std::vector<T>> OpenFile::read(const std::string& name, hid_t memory_type, const char* what) const {
  using Values = Result<std::vector<T>>;
  const Quiet quiet;
  const std::string place = path_ + ": " + name + ": ";
  if (!has(name)) return Values::failure(place + "found no such data set, expected a list of " + what);
  const Handle data(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data) return Values::failure(place + "found something else than a data set, expected a list of " + what);
  const Handle type(H5Dget_type(data.get()), H5Tclose);
  const Handle space(H5Dget_space(data.get()), H5Sclose);
  if (!type || !space) return Values::failure(place + "its type or size cannot be read: the file is damaged");
  const H5T_class_t kind = H5Tget_class(type.get());
  const bool fits = kind == H5T_INTEGER || (kind == H5T_FLOAT && memory_type == H5T_NATIVE_DOUBLE);
  if (!fits) return Values::failure(place + "found data of another type, expected " + what);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  // A damaged size must not be allocated: no data set of a problem is as large as this.
  constexpr hssize_t kMost = hssize_t{1} << 27;
  if (count < 0 || count > kMost) return Values::failure(place + "its size cannot be right: the file is damaged");
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0 && H5Dread(data.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return Values::failure(place + "the data cannot be read: the file is damaged");
  return values;
}

std::string OpenFile::text(const std::string& name) const {
  const Quiet quiet;
  if (!has(name)) return {};
  const Handle data(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data) return {};
  const Handle type(H5Dget_type(data.get()), H5Tclose);
  const Handle space(H5Dget_space(data.get()), H5Sclose);
  constexpr std::size_t kMost = 1 << 20;
  if (!type || !space || H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
      H5Sget_simple_extent_npoints(space.get()) != 1 || H5Tget_size(type.get()) > kMost)
    return {};
  std::string value(H5Tget_size(type.get()), '\0');
  if (H5Dread(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0) return {};
  value.resize(value.find('\0') == std::string::npos ? value.size() : value.find('\0'));
  return value;
}

}  // namespace

Opened Hdf5File::open(const std::string& path) {
  // The messages for what is no readable file at all are those of every other file.
  if (const Result<std::string> bytes = read_text_file(path); !bytes) return Opened::failure(bytes.message());
  const Quiet quiet;
  if (H5Fis_hdf5(path.c_str()) <= 0) return Opened::failure(path + ": found no HDF5 file, expected FCLib's format");
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) return Opened::failure(path + ": the HDF5 file cannot be opened: it is damaged or cut short");
  return std::shared_ptr<const Hdf5File>(std::make_shared<OpenFile>(path, id));
}

#else

Opened Hdf5File::open(const std::string& path) {
  return Opened::failure(path +
                         ": found an HDF5 file, which this build of Carom cannot read: it was built without the HDF5 "
                         "library (Debian: libhdf5-dev, then configure with CAROM_HDF5=ON)");
}

#endif

}  // namespace carom
